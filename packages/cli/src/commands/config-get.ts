import { createCatalogue } from '@hermes/core/config/catalogue.ts'
import { isVariableName } from '@hermes/core/config/dotenv.ts'
import { parseKey } from '@hermes/core/config/key-path.ts'
import { unknownKey } from '@hermes/core/config/set-setting.ts'
import { getAt } from '@hermes/core/config/tree.ts'
import { knownVariables } from '@hermes/core/config/variables.ts'
import { type Cli, type CommandInput } from '../command.ts'
import { openConfigContext, orCommandError, printJson, wanted } from './config-context.ts'
import { createShownValues } from './config-values.ts'

/** `config get`: one value on stdout, secrets masked. */
export async function getSetting(input: CommandInput, cli: Cli): Promise<number> {
  const [name = ''] = wanted(input, 'get', '<key>', 1)
  const context = openConfigContext(cli)
  const value = await orCommandError(async () => {
    const isVariable = context.environment[name] !== undefined || knownVariables().some((known) => known.name === name)
    if (isVariableName(name) && name === name.toUpperCase() && isVariable) return context.environment[name]
    const path = parseKey(name) ?? []
    const { config } = await context.load()
    const found = getAt(config, path)
    if (found !== undefined) return found
    const catalogue = createCatalogue()
    if (path.length === 0 || !catalogue.settingAt(path)) throw unknownKey(name, path, catalogue)
    return undefined
  })
  const shown = createShownValues().mask(name, value)
  if (input.options['json'] === true) printJson(cli, shown ?? null)
  else cli.stdout.write(`${typeof shown === 'string' ? shown : (JSON.stringify(shown, null, 2) ?? '')}\n`)
  return 0
}
