import { bindings } from '@hermes/core/config/bindings.ts'
import { createCatalogue } from '@hermes/core/config/catalogue.ts'
import { type Explanation, explainSetting } from '@hermes/core/config/explain.ts'
import { formatKey, parseKey } from '@hermes/core/config/key-path.ts'
import { unknownKey } from '@hermes/core/config/set-setting.ts'
import type { SettingSource } from '@hermes/core/config/sources.ts'
import { knownVariables } from '@hermes/core/config/variables.ts'
import type { Cli, CommandInput } from '../command.ts'
import { type ConfigContext, openConfigContext, orCommandError, printJson, wanted } from './config-context.ts'
import { createShownValues, maskSecret, type ShownValues } from './config-values.ts'

/** `config explain`: which source of a setting or variable counts, and which do not and why. */
export async function explainKey(input: CommandInput, cli: Cli): Promise<number> {
  const [name = ''] = wanted(input, 'explain', '<key>', 1)
  const context = openConfigContext(cli)
  const binding = bindings.find(({ variable }) => variable === name)
  const known = knownVariables().find((variable) => variable.name === name)
  const asJson = input.options['json'] === true
  if (!binding && (known || context.fromFile.has(name))) {
    const variable = explainVariable(
      name,
      known?.purpose ?? 'Not a variable that Hermes knows.',
      known?.secret ?? true,
      context,
    )
    if (asJson) printJson(cli, variable)
    else cli.stdout.write(variableText(variable))
    return 0
  }
  const path = binding?.path ?? parseKey(name) ?? []
  const explanation = await orCommandError(async () => {
    const catalogue = createCatalogue()
    const found = path.length > 0 ? explainSetting(path, await context.load(), catalogue) : undefined
    if (!found || catalogue.isSection(path)) throw unknownKey(binding ? formatKey(path) : name, path, catalogue)
    return found
  })
  const shown = createShownValues()
  if (asJson) printJson(cli, masked(explanation, shown))
  else cli.stdout.write(settingText(explanation, shown))
  return 0
}

function masked(explanation: Explanation, shown: ShownValues): unknown {
  const mask = (value: unknown) => shown.mask(explanation.key, value) ?? null
  const source = (one: SettingSource) => ({ ...one, value: mask(one.value) })
  return {
    ...explanation,
    value: mask(explanation.value),
    winner: source(explanation.winner),
    losers: explanation.losers.map(source),
  }
}

function settingText(
  { key, value, description, accepts, winner, losers, variable }: Explanation,
  shown: ShownValues,
): string {
  const lines = [
    `${key} = ${shown.text(key, value)}`,
    `  ${description}`,
    `  Accepts ${accepts}.${variable === undefined ? '' : ` ${variable} sets it too, and goes first.`}`,
    '',
    `  counts   ${winner.from}: ${shown.text(key, winner.value)}`,
    ...losers.map((loser) => `  hidden   ${loser.from}: ${shown.text(key, loser.value)}  (${loser.reason})`),
  ]
  return `${lines.join('\n')}\n`
}

interface VariableExplanation {
  readonly variable: string
  readonly purpose: string
  readonly value: string | null
  readonly from: string
  /** The process's own value, where `.env` hides it. */
  readonly hidden: string | null
}

function explainVariable(
  variable: string,
  purpose: string,
  isSecret: boolean,
  context: ConfigContext,
): VariableExplanation {
  const value = context.environment[variable]
  const entry = context.fromFile.get(variable)
  const show = (text: string | undefined) => (text === undefined ? null : isSecret ? maskSecret(text) : text)
  const from = value === undefined ? 'nowhere' : entry ? `.env line ${entry.line}` : 'the environment of the process'
  return { variable, purpose, value: show(value), from, hidden: show(entry?.hides) }
}

function variableText({ variable, purpose, value, from, hidden }: VariableExplanation): string {
  const lines = [`${variable} = ${value ?? '(not set)'}`, `  ${purpose}`, '']
  if (value !== null) lines.push(`  counts   ${from}: ${value}`)
  if (hidden !== null) lines.push(`  hidden   the environment of the process: ${hidden}  (.env goes before it)`)
  if (value === null) lines.push('  It is set neither in .env nor in the environment of the process.')
  return `${lines.join('\n')}\n`
}
