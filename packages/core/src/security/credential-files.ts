// Files with credentials that lie in people's projects. Unlike those in a home folder, tools may read them, but only
// with consent; they may be written, since that is what people ask for.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'

/** Names that tell enough, as git's path patterns without regard to case. */
export const credentialNames: readonly string[] = [
  '.env',
  '.envrc',
  '.env.local',
  '.env.*.local',
  '.env.dev',
  '.env.development',
  '.env.prod',
  '.env.production',
  '.env.staging',
  '.env.test',
  '.env.bak',
  'auth.json',
  '.netrc',
  '.pgpass',
  '.git-credentials',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
]

const names = credentialNames.map(
  (name) => new RegExp(`^${name.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`, 'i'),
)

/** Any other environment but those that are kept with a project for everybody to see. */
const otherEnvironment = /^\.env\.(?!(?:.*\.)?(?:example|sample|template|tpl|dist|defaults?|schema|d\.ts)$)/i

/** Files that hold credentials or not: what is in them tells. */
const perhaps = /(?:^\.(?:npmrc|pypirc|yarnrc(?:\.yml)?|htpasswd)|\.(?:pem|key|p8|ppk))$/i

/** A private key, or a token that is written out: `${NPM_TOKEN}` is none. */
const secretContent =
  /PRIVATE KEY-----|^PuTTY-User-Key-File|(?:_authToken|_auth|_password|npmAuthToken|password)["']?\s*[=:]\s*["']?(?![\s"'$]|$)|^[^:\s]+:\$(?:apr1|2[aby]|[56])\$/im

/** Bytes of a file that are looked at. */
const sampleBytes = 64 * 1024

/** Whether a file's name alone says that it holds credentials. */
export function isCredentialName(name: string): boolean {
  return names.some((pattern) => pattern.test(name)) || otherEnvironment.test(name)
}

/** Whether one of the names of a file, or else what is in it, says that it holds credentials. The last one is opened. */
export async function isCredentialFile(...paths: readonly string[]): Promise<boolean> {
  const called = paths.map((path) => basename(path))
  if (called.some(isCredentialName)) return true
  const path = paths.at(-1)
  return path !== undefined && called.some((name) => perhaps.test(name)) && (await hasSecretContent(path))
}

async function hasSecretContent(path: string): Promise<boolean> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return false
    const sample = Buffer.alloc(sampleBytes)
    const { bytesRead } = await file.read(sample, 0, sampleBytes, 0)
    return secretContent.test(sample.toString('latin1', 0, bytesRead))
  } catch (error) {
    // What is not there, or cannot be read by us, gives nothing out.
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
