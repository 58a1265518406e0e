import { listSkills } from '@hermes/core/skills/hub/installed-list.ts'
import type { ListedSkill } from '@hermes/core/skills/hub/installed-list.ts'
import type { Command } from '../../command.ts'
import { text } from '../../option-values.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { bringBundled, widthOf, withSkills } from './with-skills.ts'

export const list: Command = {
  name: 'list',
  summary: 'List the skills that are here',
  options: {
    source: {
      type: 'string',
      value: 'NAME',
      choices: ['all', 'hub', 'builtin', 'local'],
      description: 'Where they come from (default all)',
    },
    platform: { type: 'string', value: 'NAME', description: 'As this platform has them: cli, telegram …' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ options }, cli) {
    return withSkills(cli, async (scope) => {
      await bringBundled(scope, cli)
      const wanted = text(options['source']) ?? 'all'
      const platform = text(options['platform'])
      const all = await listSkills({ ...scope, ...(platform !== undefined && { platform }) })
      const skills = all.filter(({ source }) => wanted === 'all' || source === wanted)
      if (options['json'] === true) await writeJson(cli, skills)
      else if (skills.length === 0) cli.stderr.write('There are no skills. Find some: hermes skills search <query>\n')
      else {
        const columns = [
          { heading: 'Name', most: 28 },
          { heading: 'Category', most: 22 },
          { heading: 'Source' },
          { heading: 'State' },
          { heading: 'Description', isFlexible: true },
        ]
        const rows = skills.map((one) => [one.name, one.category, sourceText(one), one.state, one.description])
        await writeOut(cli, `${columnLines(columns, rows, widthOf(cli)).join('\n')}\n`)
      }
      return 0
    })
  },
}

function sourceText({ source, trust, isModified }: ListedSkill): string {
  const shown = source === 'hub' ? `hub, ${trust}` : source === 'local' && trust === 'agent-created' ? 'agent' : source
  return isModified ? `${shown}, changed` : shown
}
