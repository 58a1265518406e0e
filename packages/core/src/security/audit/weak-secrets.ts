import { isSecretName } from '../known-secrets.ts'
import { readIfThere } from '../../config/read-if-there.ts'
import { parseYamlFile } from '../../config/yaml-file.ts'
import type { AuditFinding, AuditSubject } from './finding.ts'
import { ownSecret, ownSecrets, weaknessOf } from './own-secrets.ts'

/** Secrets that can be guessed, are used twice, or lie where people share them. */
export function checkSecrets(subject: AuditSubject): readonly AuditFinding[] {
  const { environment } = subject
  const set = ownSecrets.flatMap((name) => {
    const value = environment[name]
    return value && value !== 'INSECURE_NO_AUTH' ? [[name, value] as const] : []
  })
  const weak = set.flatMap(([name, value]): AuditFinding[] => {
    const weakness = weaknessOf(value)
    if (weakness === undefined) return []
    return [
      {
        id: 'weak-secret',
        severity: 'medium',
        where: name,
        problem: `Whoever has it gets in, and ${weakness}.`,
        remedy: ownSecret(name),
      },
    ]
  })
  const twice = [...Map.groupBy(set, ([, value]) => value).values()].flatMap((names): AuditFinding[] => {
    if (names.length < 2) return []
    return [
      {
        id: 'secret-used-twice',
        severity: 'low',
        where: names.map(([name]) => name).join(', '),
        problem: 'They are the same: whoever has one has all.',
        remedy: 'Make one for each.',
      },
    ]
  })
  return [...weak, ...twice, ...inConfig(subject)]
}

/** Settings files are shown and shared; `.env` is not. */
function inConfig({ home }: AuditSubject): readonly AuditFinding[] {
  const bytes = readIfThere(home.path('config.yaml'))
  if (!bytes) return []
  const found = [...literals(parseYamlFile(bytes.toString('utf8'), 'config.yaml').tree, [])]
  return found.map((path) => ({
    id: 'secret-in-config',
    severity: 'low',
    where: `config.yaml: ${path}`,
    problem: 'It is written out in a file that people show and share.',
    remedy: 'Move it to .env, and write ${NAME} in its place.',
  }))
}

function* literals(value: unknown, path: readonly string[]): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* literals(item, path)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* literals(inner, [...path, key])
  } else if (typeof value === 'string' && isLiteral(value) && isSecretName(path.at(-1) ?? '')) yield path.join('.')
}

function isLiteral(value: string): boolean {
  return (
    value.length >= 8 &&
    value !== 'INSECURE_NO_AUTH' &&
    !value.includes('${') &&
    !/^(?:[~.]{0,2}\/|[a-z ]+$)/i.test(value)
  )
}
