import { resolve } from 'node:path'
import { publishSkill } from '@hermes/core/skills/hub/publish.ts'
import { type Command, CommandError, UsageError } from '../../command.ts'
import { text } from '../../option-values.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { onlyPositional, withHub } from './with-skills.ts'

export const publish: Command = {
  name: 'publish',
  summary: 'Offer a skill to a repository on GitHub as a pull request',
  positionals: '<skill_path>',
  options: {
    to: { type: 'string', value: 'NAME', choices: ['github', 'clawhub'], description: 'Where to (default github)' },
    repo: { type: 'string', value: 'OWNER/NAME', description: 'The repository' },
    force: { type: 'boolean', description: 'Also what the guard finds fault with' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  examples: ['GITHUB_TOKEN=… hermes skills publish ./my-skill --repo owner/skills'],
  async run(input, cli) {
    const { options } = input
    const path = onlyPositional(input, 'publish <skill_path> --repo OWNER/NAME')
    if (options['to'] === 'clawhub')
      throw new CommandError(`ClawHub takes skills from its own program: npx clawhub publish ${path}`)
    const repository = text(options['repo'])
    if (repository === undefined) throw new UsageError('Name the repository: --repo OWNER/NAME')
    return withHub(cli, async (hub) => {
      const published = await publishSkill(
        hub,
        { folder: resolve(cli.cwd, path), repository, force: options['force'] === true },
        cli.signal,
      )
      if (options['json'] === true) await writeJson(cli, published)
      else await writeOut(cli, `Offered ${published.files} files: ${published.url}\n`)
      return 0
    })
  },
}
