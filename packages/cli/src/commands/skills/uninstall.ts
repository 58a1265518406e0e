import { uninstallSkill } from '@hermes/core/skills/hub/uninstall.ts'
import { readLockFile } from '@hermes/core/skills/store/lock-file.ts'
import { type Command, CommandError } from '../../command.ts'
import { confirm } from '../sessions/confirm.ts'
import { writeOut } from '../sessions/write-out.ts'
import { onlyPositional, withHub } from './with-skills.ts'

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Remove a skill that was installed from a source',
  positionals: '<name>',
  options: { yes: { type: 'boolean', short: 'y', description: 'Do not ask' } },
  async run(input, cli) {
    const name = onlyPositional(input, 'uninstall <name>')
    return withHub(cli, async (hub) => {
      const isThere = (await readLockFile(hub.home))[name] !== undefined
      if (isThere && input.options['yes'] !== true && !(await confirm(`Remove skill "${name}"?`, cli)))
        throw new CommandError('Nothing was removed.')
      await uninstallSkill(hub, name, cli.signal)
      await writeOut(cli, `Removed "${name}". Its files are kept in skills/.hub/trash for a while.\n`)
      return 0
    })
  },
}
