import { addTap, defaultTaps, readTaps, removeTap } from '@hermes/core/skills/hub/taps.ts'
import { type Command, CommandError } from '../../command.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { onlyPositional, widthOf, withSkills } from './with-skills.ts'

const list: Command = {
  name: 'list',
  summary: 'List the repositories that are searched',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ options }, cli) {
    return withSkills(cli, async ({ home }) => {
      const own = (await readTaps(home)).map((tap) => ({ ...tap, own: true }))
      const all = [...own, ...defaultTaps.map((tap) => ({ ...tap, own: false }))]
      if (options['json'] === true) await writeJson(cli, all)
      else {
        const rows = all.map(({ repo, path, own }) => [repo, path || '(all of it)', own ? 'yours' : 'always'])
        await writeOut(
          cli,
          `${columnLines([{ heading: 'Repository' }, { heading: 'Folder' }, { heading: '' }], rows, widthOf(cli)).join('\n')}\n`,
        )
      }
      return 0
    })
  },
}

const add: Command = {
  name: 'add',
  summary: 'Search one more repository on GitHub',
  positionals: '<owner/name[/folder]>',
  async run(input, cli) {
    const repo = onlyPositional(input, 'tap add <owner/name[/folder]>')
    return withSkills(cli, async ({ home }) => {
      const isNew = await addTap(home, repo, cli.signal)
      await writeOut(cli, isNew ? `Skills of ${repo} are found from now on.\n` : `${repo} is searched already.\n`)
      return 0
    })
  },
}

const remove: Command = {
  name: 'remove',
  summary: 'Search a repository no longer; what was installed from it stays',
  positionals: '<owner/name>',
  async run(input, cli) {
    const repo = onlyPositional(input, 'tap remove <owner/name>')
    return withSkills(cli, async ({ home }) => {
      if (!(await removeTap(home, repo, cli.signal)))
        throw new CommandError(`${repo} is none of your taps. See: hermes skills tap list`)
      await writeOut(cli, `Removed ${repo}.\n`)
      return 0
    })
  },
}

export const tap: Command = {
  name: 'tap',
  summary: 'Repositories of your own choice',
  subcommands: [list, add, remove],
}
