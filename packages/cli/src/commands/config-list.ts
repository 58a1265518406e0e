import { createCatalogue } from '@hermes/core/config/catalogue.ts'
import { explainSetting } from '@hermes/core/config/explain.ts'
import { formatKey, parseKey } from '@hermes/core/config/key-path.ts'
import type { LoadedConfig } from '@hermes/core/config/load.ts'
import { unknownKey } from '@hermes/core/config/set-setting.ts'
import type { Cli, CommandInput } from '../command.ts'
import { openConfigContext, orCommandError, printJson, wanted } from './config-context.ts'
import { createShownValues } from './config-values.ts'

interface Row {
  readonly key: string
  readonly value: unknown
  readonly source: string
  readonly from: string
  readonly description: string
}

/** `config list`: every setting, and every other key that is in the files, with where its value comes from. */
export async function listSettings(input: CommandInput, cli: Cli): Promise<number> {
  const [section] = wanted(input, 'list', '[section]', 0, 1)
  const isChangedOnly = input.options['changed'] === true
  const rows = await orCommandError(async () => {
    const all = rowsOf(await openConfigContext(cli).load())
    const path = section === undefined ? [] : (parseKey(section) ?? [])
    const start = formatKey(path)
    const found = all.filter(({ key }) => section === undefined || key === start || key.startsWith(`${start}.`))
    if (found.length === 0) throw unknownKey(section ?? '', path, createCatalogue())
    return found.filter(({ source }) => !isChangedOnly || source !== 'default')
  })
  const shown = createShownValues()
  if (input.options['json'] === true) {
    printJson(
      cli,
      rows.map((row) => ({ ...row, value: shown.mask(row.key, row.value) ?? null })),
    )
    return 0
  }
  if (rows.length === 0) cli.stderr.write('Every setting has its default.\n')
  const width = Math.min(44, Math.max(0, ...rows.map(({ key }) => key.length)))
  for (const { key, value, source, from } of rows) {
    const where = source === 'default' ? '' : `  (${from})`
    cli.stdout.write(`${key.padEnd(width)}  ${shortened(shown.text(key, value))}${where}\n`)
  }
  return 0
}

function rowsOf(loaded: LoadedConfig): readonly Row[] {
  const catalogue = createCatalogue()
  const known = catalogue.settings.map(({ path }) => path)
  const others = [...loaded.sources.keys()]
    .map((key) => parseKey(key) ?? [])
    // A section that is left empty in the file, such as `agent: {}`, sets nothing.
    .filter((path) => !catalogue.settingAt(path) && !catalogue.isSection(path))
  const paths = [...known, ...others].map((path) => ({ path, key: formatKey(path) }))
  return paths
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap(({ path, key }) => {
      const explanation = explainSetting(path, loaded, catalogue)
      if (!explanation) return []
      const { winner, value, description } = explanation
      return [{ key, value, source: winner.kind, from: winner.from, description }]
    })
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
