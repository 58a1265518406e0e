/** Files that hold keys and passwords wherever they lie, as git's path patterns without regard to case. */
export const sensitiveNames: readonly string[] = [
  '.env',
  '.envrc',
  '.env.local',
  '.env.*.local',
  '.env.development',
  '.env.production',
  '.env.staging',
  '.env.test',
  'auth.json',
  '.netrc',
  '.pgpass',
  '.git-credentials',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
]

const patterns = sensitiveNames.map((name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 'i'))

/** Whether a file's name alone says that it holds secrets. */
export function isSensitiveName(name: string): boolean {
  return patterns.some((pattern) => pattern.test(name))
}
