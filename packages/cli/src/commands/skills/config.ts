import { editConfig } from '@hermes/core/config/edit.ts'
import { getAt } from '@hermes/core/config/tree.ts'
import { loadCatalogue } from '@hermes/core/skills/catalogue.ts'
import type { SkillScope } from '@hermes/core/skills/skill-scope.ts'
import { type Cli, type Command, CommandError } from '../../command.ts'
import { list, text } from '../../option-values.ts'
import { writeOut } from '../sessions/write-out.ts'
import { bringBundled, withSkills } from './with-skills.ts'

export const config: Command = {
  name: 'config',
  summary: 'Switch skills on and off, for all platforms or one',
  options: {
    platform: {
      type: 'string',
      value: 'NAME',
      description: 'Only on this platform: cli, telegram … (its list replaces the general one)',
    },
    enable: { type: 'string', value: 'A,B', multiple: true, description: 'Skills to switch on' },
    disable: { type: 'string', value: 'A,B', multiple: true, description: 'Skills to switch off' },
  },
  examples: [
    'hermes skills config',
    'hermes skills config --disable ascii-art,haiku',
    'hermes skills config --platform telegram --enable haiku',
  ],
  async run({ options }, cli) {
    const platform = text(options['platform'])
    const enable = list(options['enable']) ?? []
    const disable = list(options['disable']) ?? []
    return withSkills(cli, async (scope) => {
      await bringBundled(scope, cli)
      const { skills } = await loadCatalogue(scope)
      const names = skills.map(({ name }) => name)
      const unknown = [...enable, ...disable].filter(
        (name) => !names.includes(name) && !offList(scope, platform).includes(name),
      )
      if (unknown.length > 0) throw new CommandError(`There is no skill ${unknown.join(', ')}. See: hermes skills list`)
      if (enable.length + disable.length > 0) {
        const off = await save(
          scope,
          platform,
          (before) => [...before.filter((name) => !enable.includes(name)), ...disable],
          cli,
        )
        await writeOut(cli, `Off${platform === undefined ? '' : ` on ${platform}`}: ${off.join(', ') || 'none'}\n`)
        return 0
      }
      if (!cli.stdin.isTTY || !cli.stdout.isTTY) {
        throw new CommandError(
          'Skills are switched here one by one, which needs a terminal.\nIn a script write: hermes skills config --disable NAME\nor --enable NAME, with --platform NAME for one platform.',
        )
      }
      const { pickSkills } = await import('./pick-skills.ts')
      const off = await pickSkills({ skills, off: offList(scope, platform), platform }, cli)
      if (off === undefined) {
        await writeOut(cli, 'Nothing was changed.\n')
        return 0
      }
      await save(scope, platform, () => off, cli)
      await writeOut(cli, `Saved. Off: ${off.join(', ') || 'none'}\n`)
      return 0
    })
  },
}

/** The skills that are off: the platform's own list, or the general one. */
function offList({ config: { skills } }: SkillScope, platform: string | undefined): readonly string[] {
  return (platform === undefined ? undefined : skills.platform_disabled[platform]) ?? skills.disabled
}

/** Changes the list in `config.yaml`, from what is in the file then. */
async function save(
  scope: SkillScope,
  platform: string | undefined,
  change: (before: readonly string[]) => readonly string[],
  cli: Cli,
): Promise<readonly string[]> {
  const path = platform === undefined ? ['skills', 'disabled'] : ['skills', 'platform_disabled', platform]
  let after: readonly string[] = []
  await editConfig({ home: scope.home, environment: scope.environment, signal: cli.signal }, (tree) => {
    const inFile = getAt(tree, path)
    const before = Array.isArray(inFile) ? inFile.map(String) : offList(scope, platform)
    after = [...new Set(change(before))].sort()
    return [{ path, value: after }]
  })
  return after
}
