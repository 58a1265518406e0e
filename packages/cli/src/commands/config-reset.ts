import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { backupFile } from '@hermes/core/config/backup-file.ts'
import { createCatalogue } from '@hermes/core/config/catalogue.ts'
import { editConfig, refuseWhenManaged } from '@hermes/core/config/edit.ts'
import { explainSetting } from '@hermes/core/config/explain.ts'
import { formatKey, parseKey } from '@hermes/core/config/key-path.ts'
import { saveVariable } from '@hermes/core/config/environment.ts'
import { unknownKey, variableFor } from '@hermes/core/config/set-setting.ts'
import { getAt } from '@hermes/core/config/tree.ts'
import { type Cli, CommandError, type CommandInput } from '../command.ts'
import { type ConfigContext, openConfigContext, orCommandError, wanted } from './config-context.ts'
import { createShownValues } from './config-values.ts'

/**
 * `config reset`: takes a setting, or the whole file, back to the defaults; what was there is kept in a backup. A variable
 * is taken out of `.env`, without one: a key that is thrown away shall be gone.
 */
export async function resetConfig(input: CommandInput, cli: Cli): Promise<number> {
  const [key] = wanted(input, 'reset', '[key]', 0, 1)
  const context = openConfigContext(cli)
  return orCommandError(() => {
    if (key === undefined) return resetAll(input, context, cli)
    const variable = variableFor(key)
    return variable === undefined ? resetKey(key, context, cli) : resetVariable(variable, context, cli)
  })
}

async function resetAll(input: CommandInput, { home, environment }: ConfigContext, cli: Cli): Promise<number> {
  refuseWhenManaged(home, environment)
  if (input.options['yes'] !== true && !(await confirm('Take every setting back to its default?', cli))) {
    cli.stderr.write('Nothing was changed.\n')
    return 1
  }
  const { withFileLock } = await import('@hermes/core/storage/file-lock.ts')
  const path = home.path('config.yaml')
  const reset = async () => {
    const backup = await backupFile(path)
    await rm(path, { force: true })
    return backup
  }
  const backup = await withFileLock(path, reset, { signal: cli.signal })
  cli.stdout.write(
    backup === undefined ? 'Every setting has its default already.\n' : `✓ Reset. The old file is ${backup}\n`,
  )
  return 0
}

async function resetVariable(name: string, { home, environment, fromFile }: ConfigContext, cli: Cli): Promise<number> {
  refuseWhenManaged(home, environment)
  await saveVariable({ home, signal: cli.signal }, name, undefined)
  const path = home.path('.env')
  cli.stdout.write(fromFile.has(name) ? `✓ Took ${name} out of ${path}\n` : `${name} is not set in ${path}\n`)
  if (cli.environment[name] !== undefined) cli.stderr.write(`! The environment still sets ${name}.\n`)
  return 0
}

async function resetKey(name: string, { home, environment, load }: ConfigContext, cli: Cli): Promise<number> {
  const path = parseKey(name) ?? []
  const catalogue = createCatalogue()
  let backup: string | undefined
  const isInFile = await editConfig(
    { home, environment, signal: cli.signal },
    (tree) => {
      const isThere = getAt(tree, path) !== undefined
      if (path.length === 0 || (!isThere && !catalogue.settingAt(path) && !catalogue.isSection(path))) {
        throw unknownKey(name, path, catalogue)
      }
      return [{ path, value: undefined }]
    },
    async () => {
      backup = await backupFile(home.path('config.yaml'))
    },
  )
  const key = formatKey(path)
  const explanation = explainSetting(path, await load(), catalogue)
  const value = createShownValues().text(key, explanation?.value)
  cli.stdout.write(
    isInFile
      ? `✓ Reset ${key} to ${value}. The old file is ${backup}\n`
      : `${key} is not set in config.yaml; it is ${value}.\n`,
  )
  const { winner } = explanation ?? {}
  if (winner && winner.kind !== 'default') cli.stderr.write(`! ${winner.from} still sets it.\n`)
  return 0
}

async function confirm(question: string, { stdin, stderr, signal }: Cli): Promise<boolean> {
  if (!stdin.isTTY) throw new CommandError('Nobody is there to ask. Add --yes to reset everything.')
  const prompt = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `, { signal })).trim())
  } finally {
    prompt.close()
  }
}
