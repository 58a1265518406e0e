import type { SkillListing } from '@hermes/core/skills/hub/bundle.ts'
import { browseSkills, searchSkills, sourceNames } from '@hermes/core/skills/hub/search.ts'
import type { Cli, Command, OptionSpec } from '../../command.ts'
import { text, wholeNumber } from '../../option-values.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { UsageError } from '../../command.ts'
import { widthOf, withHub } from './with-skills.ts'

const source: OptionSpec = {
  type: 'string',
  value: 'NAME',
  choices: sourceNames,
  description: 'Only this source (default all)',
}
const json: OptionSpec = { type: 'boolean', description: 'Print JSON' }

export const search: Command = {
  name: 'search',
  summary: 'Search all sources of skills',
  positionals: '<query...>',
  options: { source, limit: { type: 'string', value: 'N', description: 'Most results (default 10)' }, json },
  examples: ['hermes skills search "pdf forms"', 'hermes skills search https://docs.example.com --source well-known'],
  async run({ positionals, options }, cli) {
    const query = positionals.join(' ').trim()
    if (query === '') throw new UsageError('Write: hermes skills search <query>')
    const limit = wholeNumber(options['limit'], '--limit', 1) ?? 10
    return withHub(cli, async (hub) => {
      const found = await searchSkills(hub, { query, source: text(options['source']) ?? 'all', limit }, cli.signal)
      if (options['json'] === true) await writeJson(cli, found)
      else if (found.length === 0) cli.stderr.write(`No skill was found for "${query}".\n`)
      else await show(cli, found)
      return 0
    })
  },
}

export const browse: Command = {
  name: 'browse',
  summary: 'Page through what the sources have',
  options: {
    page: { type: 'string', value: 'N', description: 'Page (default 1)' },
    size: { type: 'string', value: 'N', description: 'Rows of a page (default 20)' },
    source,
    json,
  },
  async run({ options }, cli) {
    const page = wholeNumber(options['page'], '--page', 1) ?? 1
    const size = wholeNumber(options['size'], '--size', 1) ?? 20
    return withHub(cli, async (hub) => {
      const found = await browseSkills(hub, { source: text(options['source']) ?? 'all', page, size }, cli.signal)
      if (options['json'] === true) await writeJson(cli, found)
      else if (found.total === 0) cli.stderr.write('The sources list no skills.\n')
      else {
        await show(cli, found.skills)
        cli.stderr.write(`Page ${found.page} of ${found.pages}, ${found.total} skills.\n`)
      }
      return 0
    })
  },
}

async function show(cli: Cli, skills: readonly SkillListing[]): Promise<void> {
  const columns = [
    { heading: 'Name', most: 28 },
    { heading: 'Description', isFlexible: true },
    { heading: 'Trust' },
    { heading: 'Identifier' },
  ]
  const rows = skills.map(({ name, description, trust, identifier }) => [name, description, trust, identifier])
  await writeOut(cli, `${columnLines(columns, rows, widthOf(cli)).join('\n')}\n`)
}
