import type { Profile } from '@hermes/core/config/open-profile.ts'
import { platforms } from '@hermes/gateway/platforms/registry.ts'
import type { Cli } from '../command.ts'

/** What is no platform, and takes answers all the same. */
const others = ['local', 'log', 'origin', 'github_comment']

/** Says it where answers are to go to a platform that nothing here knows; one that a plugin brings may come later. */
export function tellUnknownTarget(target: string | undefined, { config }: Pick<Profile, 'config'>, cli: Cli): void {
  const name = target?.trim().split(':')[0]?.toLowerCase() ?? ''
  if (name === '' || others.includes(name)) return
  if (Object.hasOwn(platforms, name) || Object.hasOwn(config.platforms, name)) return
  const known = Object.keys(platforms).filter((platform) => platform !== 'webhook')
  cli.stderr.write(`! No platform "${name}" is known here, so nothing can be delivered there: ${known.join(', ')}\n`)
}
