import { checkSkills, updateSkills } from '@hermes/core/skills/hub/update.ts'
import type { Command } from '../../command.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { installConsent } from './consent.ts'
import { optionalPositional, widthOf, withHub } from './with-skills.ts'

const json = { type: 'boolean', description: 'Print JSON' } as const

export const check: Command = {
  name: 'check',
  summary: 'See whether installed skills have updates',
  positionals: '[name]',
  options: { json },
  async run(input, cli) {
    const name = optionalPositional(input, 'check [name]')
    return withHub(cli, async (hub) => {
      const results = await checkSkills(hub, name, cli.signal)
      if (input.options['json'] === true) await writeJson(cli, results)
      else if (results.length === 0) cli.stderr.write('No skill is installed from a source.\n')
      else {
        const rows = results.map((one) => [
          one.name,
          `${one.status}${one.isModified ? ', changed here' : ''}`,
          one.reason ?? one.identifier,
        ])
        await writeOut(
          cli,
          `${columnLines([{ heading: 'Name' }, { heading: 'Status' }, { heading: 'From', isFlexible: true }], rows, widthOf(cli)).join('\n')}\n`,
        )
      }
      return 0
    })
  },
}

export const update: Command = {
  name: 'update',
  summary: 'Bring installed skills up to date; what was changed here is kept',
  positionals: '[name]',
  options: {
    force: { type: 'boolean', description: 'Also over changes made here, and against the guard' },
    yes: { type: 'boolean', short: 'y', description: 'Do not ask' },
    json,
  },
  async run(input, cli) {
    const name = optionalPositional(input, 'update [name]')
    const { options } = input
    return withHub(cli, async (hub) => {
      const consent = { force: options['force'] === true, confirm: installConsent(cli, options['yes'] === true) }
      const results = await updateSkills(hub, name, consent, cli.signal)
      if (options['json'] === true) await writeJson(cli, results)
      else if (results.length === 0) cli.stderr.write('No skill is installed from a source.\n')
      else {
        const rows = results.map((one) => [one.name, one.status, one.reason ?? ''])
        await writeOut(
          cli,
          `${columnLines([{ heading: 'Name' }, { heading: 'Status' }, { heading: '', isFlexible: true }], rows, widthOf(cli)).join('\n')}\n`,
        )
      }
      return results.some(({ status }) => status === 'refused') ? 1 : 0
    })
  },
}
