import type { Profile } from '@hermes/core/config/open-profile.ts'
import { platforms } from '@hermes/gateway/platforms/registry.ts'
import { homeChannel } from '@hermes/gateway/sessions/home-channel.ts'
import type { Cli } from '../command.ts'

/** What is no platform, and takes answers all the same. */
const others = ['local', 'log', 'origin', 'github_comment', 'url']

/**
 * Says it where answers are to go to a platform that nothing here knows, or to the home of one that has none; a plugin may
 * bring the one later, and a chat make itself the other.
 */
export function tellUnknownTarget(
  target: string | undefined,
  profile: Pick<Profile, 'config' | 'environment'>,
  cli: Cli,
): void {
  const [first = '', chat] = target?.trim().split(':') ?? []
  const name = first.toLowerCase()
  if (name === '' || others.includes(name)) return
  if (!Object.hasOwn(platforms, name) && !Object.hasOwn(profile.config.platforms, name)) {
    const known = Object.keys(platforms).filter((platform) => platform !== 'webhook')
    cli.stderr.write(`! No platform "${name}" is known here, so nothing can be delivered there: ${known.join(', ')}\n`)
  } else if (!chat && !homeChannel(name, profile)) {
    cli.stderr.write(`! ${name} has no home channel yet: write /sethome in the chat that should get this.\n`)
  }
}

/** Says which skills there are not; they may come before they are needed. `platform`: for which they are named. */
export async function tellUnknownSkills(
  names: readonly string[],
  platform: string,
  profile: Pick<Profile, 'home' | 'config' | 'environment'>,
  cli: Cli,
): Promise<void> {
  if (names.length === 0) return
  const { findSkill } = await import('@hermes/core/skills/find-skill.ts')
  const { SkillError } = await import('@hermes/core/skills/skill-error.ts')
  const bundled = await bundledNames(profile)
  for (const name of names) {
    try {
      await findSkill({ ...profile, platform }, name)
    } catch (error) {
      if (!(error instanceof SkillError)) throw error
      if (error.code === 'not-found' && bundled.has(name)) continue
      cli.stderr.write(`! ${error.message} What names it goes on without it.\n`)
    }
  }
}

/** Those that the next start of a chat or of the gateway brings into the home. */
async function bundledNames({ environment }: Pick<Profile, 'environment'>): Promise<ReadonlySet<string>> {
  const { bundledSkillsFolder } = await import('@hermes/core/skills/bundled/bundled-folder.ts')
  const { readBundle } = await import('@hermes/core/skills/bundled/bundle.ts')
  const folder = bundledSkillsFolder(environment)
  const { skills } = folder === undefined ? { skills: [] } : await readBundle(folder)
  return new Set(skills.flatMap(({ name, place }) => [name, place]))
}
