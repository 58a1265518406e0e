import { readFile } from 'node:fs/promises'
import { backupFile } from '@hermes/core/config/backup-file.ts'
import { editConfig } from '@hermes/core/config/edit.ts'
import { planMigration } from '@hermes/core/config/migrate.ts'
import { parseYamlFile } from '@hermes/core/config/yaml-file.ts'
import type { Cli, CommandInput } from '../command.ts'
import { openConfigContext, orCommandError, wanted } from './config-context.ts'

/** `config migrate`: moves settings from older places to their own. The old file is kept in a backup. */
export async function migrateConfig(input: CommandInput, cli: Cli): Promise<number> {
  wanted(input, 'migrate', '', 0)
  const { home, environment } = openConfigContext(cli)
  const path = home.path('config.yaml')
  let steps: readonly string[] = []
  let backup: string | undefined
  await orCommandError(async () => {
    if (input.options['dry-run'] === true) {
      const text = await readFile(path, 'utf8').catch(() => '')
      steps = planMigration(parseYamlFile(text, 'config.yaml').tree).steps
      return
    }
    const plan = (tree: Parameters<typeof planMigration>[0]) => {
      const migration = planMigration(tree)
      steps = migration.steps
      return migration.edits
    }
    await editConfig({ home, environment, signal: cli.signal }, plan, async () => {
      backup = await backupFile(path)
    })
  })
  if (steps.length === 0) {
    cli.stdout.write('Nothing to do: every setting is in its own place.\n')
    return 0
  }
  for (const step of steps) cli.stdout.write(`${backup === undefined ? '-' : '✓'} ${step}\n`)
  cli.stdout.write(backup === undefined ? 'Nothing was changed yet.\n' : `The old file is ${backup}\n`)
  return 0
}
