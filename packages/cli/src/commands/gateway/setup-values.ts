import type { Environment } from '@hermes/core/agent/context.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import type { PlatformFacts, VariableFact } from '@hermes/gateway/life/setup/platform-facts.ts'
import type { Cli } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { askLine } from '../auth/ask-line.ts'
import { readSecret } from '../auth/read-secret.ts'
import { tell } from './tell.ts'

/** New values by variable. */
export type Values = ReadonlyMap<string, string>

/** Variables of a platform that scripts may set although nobody is asked for them: who may speak to it, and its home. */
function furtherVariables({ accessPrefix: prefix, accessNames: who = 'USERS' }: PlatformFacts): readonly string[] {
  if (prefix === undefined) return []
  return [`ALLOWED_${who}`, `ALLOW_ALL_${who}`, 'HOME_CHANNEL', 'HOME_CHANNEL_NAME'].map((end) => `${prefix}_${end}`)
}

/** What is wrong with a list of people, if anything. */
function accessProblem(text: string, { accessProblem: problemOf }: PlatformFacts): string | undefined {
  const people = text.split(',').map((person) => person.trim())
  return people.flatMap((person) => (person === '' || person === '*' ? [] : (problemOf?.(person) ?? [])))[0]
}

/** `NAME=VALUE` words of a command line. Throws `UsageError` where one is none of the platform's, wrong, or missing. */
export function givenValues(words: readonly string[], facts: PlatformFacts, { environment }: Profile): Values {
  const { variables, name } = facts
  const further = furtherVariables(facts)
  const values = new Map<string, string>()
  for (const word of words) {
    const at = word.indexOf('=')
    const variable = at < 0 ? word : word.slice(0, at)
    const fact = variables.find((one) => one.name === variable)
    if (at < 0) throw new UsageError(`--set ${variable}: write NAME=VALUE`)
    if (!fact && !further.includes(variable)) {
      const names = [...new Set([...variables.map((one) => one.name), ...further])].join(', ')
      throw new UsageError(
        `--set ${variable}: ${name} has: ${names}. "hermes config set ${variable} VALUE" sets what else there is.`,
      )
    }
    const value = word.slice(at + 1).trim()
    const isPeople = /_ALLOWED_(USERS|DEVICES)$/.test(variable)
    const problem = isPeople ? accessProblem(value, facts) : fact?.problem?.(value)
    if (problem !== undefined) throw new UsageError(`--set ${variable}: ${problem}`)
    values.set(variable, isPeople ? value.replaceAll(/\s/g, '') : value)
  }
  const missing = variables.filter((one) => one.isRequired && !values.get(one.name) && !environment[one.name])
  for (const fact of missing) {
    const usual = usualOf(fact, { ...environment, ...Object.fromEntries(values) })
    if (usual === undefined) throw new UsageError(`hermes gateway setup ${name}: --set ${fact.name}=VALUE is missing`)
    values.set(fact.name, usual)
  }
  return values
}

/** Asks a person, step by step; what has a value already keeps it when nothing is typed. */
export async function askValues(facts: PlatformFacts, { environment }: Profile, cli: Cli): Promise<Values> {
  tell(cli, facts.label)
  for (const [at, step] of facts.steps.entries()) tell(cli, step, `  ${at + 1}. `)
  cli.stderr.write('\n')
  const values = new Map<string, string>()
  for (const fact of facts.variables) {
    const answer = await askOne(fact, { ...environment, ...Object.fromEntries(values) }, cli)
    if (answer !== undefined) values.set(fact.name, answer)
  }
  if (facts.accessPrefix !== undefined) await askAccess(facts, { environment, values, cli })
  return values
}

function usualOf({ usual }: VariableFact, values: Environment): string | undefined {
  return typeof usual === 'function' ? usual(values) : usual
}

/** `values`: what is known so far. Resolves to what changes. */
async function askOne(fact: VariableFact, values: Environment, cli: Cli): Promise<string | undefined> {
  const now = values[fact.name] || undefined
  const usual = usualOf(fact, values)
  for (const note of fact.notes?.(values) ?? []) tell(cli, note, '  ')
  for (;;) {
    const answer = await askFor(fact, { now, usual }, cli)
    if (answer === '') {
      if (now !== undefined || (!fact.isRequired && usual === undefined)) return undefined
      if (usual !== undefined) return usual
    } else {
      const problem = fact.problem?.(answer)
      if (problem === undefined) return answer
      tell(cli, problem, '  ')
      continue
    }
    cli.stderr.write('  It is needed. Ctrl-C stops; nothing is changed then.\n')
  }
}

/** What was typed; empty: nothing. */
async function askFor(
  { what, isSecret, isRequired }: VariableFact,
  { now, usual }: { readonly now: string | undefined; readonly usual: string | undefined },
  cli: Cli,
): Promise<string> {
  const made = usual === undefined ? undefined : 'Enter: one is made'
  const kept = isSecret ? (now === undefined ? made : 'is set') : (now ?? usual)
  const hint = kept === undefined ? (isRequired ? '' : ' (Enter: none)') : ` (${kept})`
  if (!isSecret) return line(`${what}${hint}: `, cli)
  try {
    return await readSecret(cli, `${what}${hint}, not shown: `)
  } catch (error) {
    // Nothing was typed.
    if (error instanceof UsageError) return ''
    throw error
  }
}

interface Access {
  readonly environment: Profile['environment']
  readonly values: Map<string, string>
  readonly cli: Cli
}

/** Nobody is let in by leaving something out. */
async function askAccess(facts: PlatformFacts, { environment, values, cli }: Access): Promise<void> {
  const { accessPrefix: prefix, accessNames: who = 'USERS', accessBy: by = 'by id' } = facts
  const [users, all] = [`${prefix}_ALLOWED_${who}`, `${prefix}_ALLOW_ALL_${who}`]
  const now = environment[users]
  const question = `who may speak to it, ${by}, with commas (${now || 'Enter: nobody yet'}): `
  let answer = await line(question, cli)
  for (let problem = accessProblem(answer, facts); problem !== undefined; problem = accessProblem(answer, facts)) {
    cli.stderr.write(`  ${problem}\n`)
    answer = await line(question, cli)
  }
  if (answer !== '') values.set(users, answer.replaceAll(/\s/g, ''))
  if (answer !== '' || now || environment[all]) return
  const approve = `hermes pairing approve ${facts.name} CODE`
  tell(cli, 'Nobody is named.')
  tell(cli, `strangers get a code, which you approve: ${approve}`, '  p: ')
  tell(cli, 'everybody may', '  o: ')
  const choice = (await line('p or o (p): ', cli)).toLowerCase()
  if (choice === 'o') values.set(all, 'true')
}

async function line(question: string, cli: Cli): Promise<string> {
  const answer = await askLine(cli, question, cli.signal)
  if (answer === undefined) throw new CommandError('Stopped; nothing was changed.', 130)
  return answer.trim()
}
