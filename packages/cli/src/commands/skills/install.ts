import { installSkill } from '@hermes/core/skills/hub/install.ts'
import type { Command } from '../../command.ts'
import { text } from '../../option-values.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { installConsent } from './consent.ts'
import { onlyPositional, withHub } from './with-skills.ts'

export const install: Command = {
  name: 'install',
  summary: 'Fetch a skill into quarantine, look through it, ask, and install it',
  positionals: '<identifier>',
  options: {
    category: { type: 'string', value: 'NAME', description: 'Folder that it goes into' },
    force: { type: 'boolean', description: 'Install although the guard says no, or over changes made here' },
    yes: { type: 'boolean', short: 'y', description: 'Do not ask' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  examples: [
    'hermes skills install anthropics/skills/skills/pdf',
    'hermes skills install https://github.com/owner/name/tree/main/skills/thing',
    'hermes skills install ./my-skill --category mine',
  ],
  async run(input, cli) {
    const { options } = input
    const identifier = onlyPositional(input, 'install <identifier>')
    return withHub(cli, async (hub) => {
      const category = text(options['category'])
      const installed = await installSkill(
        hub,
        identifier,
        {
          ...(category !== undefined && { category }),
          force: options['force'] === true,
          confirm: installConsent(cli, options['yes'] === true),
        },
        cli.signal,
      )
      const { name, place, folder, review } = installed
      if (options['json'] === true) await writeJson(cli, { name, place, folder, verdict: review.report.verdict })
      else await writeOut(cli, `Installed "${name}" into skills/${place}. Sessions that begin from now on know it.\n`)
      return 0
    })
  },
}
