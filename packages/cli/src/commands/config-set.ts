import { createCatalogue } from '@hermes/core/config/catalogue.ts'
import { explainSetting } from '@hermes/core/config/explain.ts'
import { parseKey } from '@hermes/core/config/key-path.ts'
import { ensureHome } from '@hermes/core/config/home.ts'
import { setSetting, type SetResult } from '@hermes/core/config/set-setting.ts'
import { type Cli, type CommandInput, UsageError } from '../command.ts'
import { readPipedInput } from '../piped-input.ts'
import { type ConfigContext, openConfigContext, orCommandError, wanted } from './config-context.ts'
import { createShownValues } from './config-values.ts'

/** `config set`: writes one setting, and says so when something stronger keeps it from counting. */
export async function setFromCommandLine(input: CommandInput, cli: Cli): Promise<number> {
  const [name = '', given = ''] = wanted(input, 'set', '<key> <value>', 2)
  const text = given === '-' ? (await readPipedInput(cli, true)).replace(/\r?\n$/, '') : given
  if (given === '-' && text === '') throw new UsageError('hermes config set: there is nothing on standard input')
  const context = openConfigContext(cli)
  const result = await orCommandError(() => {
    ensureHome(context.home, context.environment)
    const { home, environment } = context
    const options = { home, environment, catalogue: createCatalogue(), force: input.options['force'] === true }
    return setSetting({ ...options, signal: cli.signal }, name, text)
  })
  const value = createShownValues().text(result.key, result.value)
  cli.stdout.write(`✓ Set ${result.key} = ${value} in ${context.home.path(result.file)}\n`)
  if (result.alsoVariable !== undefined) cli.stdout.write(`✓ Set ${result.alsoVariable} in .env along with it\n`)
  await warnWhenHidden(result, openConfigContext(cli), cli)
  return 0
}

/** `context` is of the files as they are now. */
async function warnWhenHidden({ file, key, value }: SetResult, context: ConfigContext, cli: Cli): Promise<void> {
  if (file === '.env') return
  const explanation = explainSetting(parseKey(key) ?? [], await orCommandError(context.load), createCatalogue())
  const { winner } = explanation ?? {}
  if (winner?.kind !== 'environment' && winner?.kind !== 'env-file') return
  if (JSON.stringify(winner.value) === JSON.stringify(value)) return
  cli.stderr.write(`! It does not count yet: ${winner.from} goes before config.yaml.\n`)
}
