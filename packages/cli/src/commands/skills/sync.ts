import { syncBundledSkills } from '@hermes/core/skills/bundled/sync.ts'
import type { SyncReport } from '@hermes/core/skills/bundled/sync.ts'
import type { Command } from '../../command.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { withSkills } from './with-skills.ts'

export const sync: Command = {
  name: 'sync',
  summary: 'Bring the bundled skills into this home; what you changed or removed stays so',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ options }, cli) {
    return withSkills(cli, async ({ home, environment }) => {
      const report = await syncBundledSkills({ home, environment, signal: cli.signal, force: true })
      if (options['json'] === true) await writeJson(cli, report)
      else await writeOut(cli, `${text(report)}\n`)
      return 0
    })
  },
}

function text(report: SyncReport): string {
  const parts: [string, readonly string[]][] = [
    ['New', report.copied],
    ['Updated', report.updated],
    ['Changed by you, left alone', report.kept],
    ['Removed by you, left away', report.removedByUser],
    ['No longer bundled, kept', report.dropped],
  ]
  const lines = parts.flatMap(([label, names]) => (names.length > 0 ? [`${label}: ${names.join(', ')}`] : []))
  return [...lines, `Up to date: ${report.unchanged.length}`].join('\n')
}
