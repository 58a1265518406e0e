import { getAt } from '@hermes/core/config/tree.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import type { MemoryProviderField, MemoryProviderKind } from '@hermes/core/memory/memory-provider.ts'
import { type Cli, CommandError, UsageError } from '../../command.ts'
import { askLine } from '../auth/ask-line.ts'
import { readSecret } from '../auth/read-secret.ts'

/** Answers by the keys of fields. */
export type Answers = ReadonlyMap<string, string>

/** `key=value` words of a command line. Throws `UsageError` where a key is none, or a value is not one of its choices. */
export function givenAnswers(words: readonly string[], kind: MemoryProviderKind): Answers {
  const answers = new Map<string, string>()
  for (const word of words) {
    const at = word.indexOf('=')
    const key = at < 0 ? word : word.slice(0, at)
    const field = kind.fields.find((each) => each.key === key)
    if (at < 0 || !field) {
      const keys = kind.fields.map((each) => each.key).join(', ') || 'none'
      throw new UsageError(`--set ${key}: write key=value; ${kind.name} has the keys: ${keys}`)
    }
    answers.set(key, checked(word.slice(at + 1), field))
  }
  return answers
}

/** Asks a person for each field; an empty answer leaves it as it is. */
export async function askAnswers(kind: MemoryProviderKind, profile: Profile, cli: Cli): Promise<Answers> {
  const answers = new Map<string, string>()
  for (const field of kind.fields) {
    if (field.url !== undefined) cli.stderr.write(`${field.description}: get it at ${field.url}\n`)
    const answer = await ask(field, valueNow(field, kind, profile), cli)
    if (answer !== undefined) answers.set(field.key, answer)
  }
  return answers
}

/** How the required fields that have no value are given in a script; empty where all have one. */
export function missingHint(kind: MemoryProviderKind, profile: Profile): string {
  const missing = kind.fields.filter(
    (field) => field.isRequired && field.default === undefined && valueNow(field, kind, profile) === undefined,
  )
  if (missing.length === 0) return ''
  return `\nIn a script write: hermes memory setup ${kind.name}${missing.map(({ key }) => ` --set ${key}=VALUE`).join('')}`
}

async function ask(field: MemoryProviderField, now: string | undefined, cli: Cli): Promise<string | undefined> {
  const { description, isSecret, choices } = field
  if (isSecret) return askSecret(`${description}${now ? ' (set; Enter keeps it)' : ''}, not shown: `, cli)
  const options = choices ? ` [${choices.join('/')}]` : ''
  const kept = now ?? field.default
  for (;;) {
    const line = await askLine(cli, `${description}${options}${kept === undefined ? '' : ` (${kept})`}: `, cli.signal)
    if (line === undefined) throw new CommandError('Stopped; nothing was changed.', 130)
    const answer = line.trim()
    if (answer === '') return undefined
    if (!choices || choices.includes(answer)) return answer
    cli.stderr.write(`One of: ${choices.join(', ')}\n`)
  }
}

async function askSecret(prompt: string, cli: Cli): Promise<string | undefined> {
  try {
    return await readSecret(cli, prompt)
  } catch (error) {
    // Nothing was typed.
    if (error instanceof UsageError) return undefined
    throw error
  }
}

function checked(value: string, { key, choices }: MemoryProviderField): string {
  if (!choices || choices.includes(value)) return value
  throw new UsageError(`--set ${key}: one of ${choices.join(', ')}`)
}

/** What is set now, as far as it is in `.env`, the environment or `config.yaml`. */
function valueNow(
  { key, variable }: MemoryProviderField,
  kind: MemoryProviderKind,
  { environment, config }: Profile,
): string | undefined {
  if (variable !== undefined) return environment[variable] || undefined
  const value = getAt(config, [...(kind.configPath ?? [kind.name]), key])
  return ['string', 'number', 'boolean'].includes(typeof value) ? `${value as string | number | boolean}` : undefined
}
