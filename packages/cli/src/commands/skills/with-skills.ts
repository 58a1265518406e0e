import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import { syncBundledSkills } from '@hermes/core/skills/bundled/sync.ts'
import { HubError } from '@hermes/core/skills/hub/hub-error.ts'
import { openHub } from '@hermes/core/skills/hub/hub.ts'
import type { Hub } from '@hermes/core/skills/hub/hub.ts'
import { SkillError } from '@hermes/core/skills/skill-error.ts'
import type { SkillScope } from '@hermes/core/skills/skill-scope.ts'
import { type Cli, CommandError, type CommandInput, UsageError } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'

/** Opens the profile's skills for one command; what is refused is told in its own words. */
export async function withSkills<T>(cli: Cli, work: (scope: SkillScope) => Promise<T>): Promise<T> {
  try {
    const { home, config, environment } = await openProfile(cli.environment)
    return await work({ home, config, environment })
  } catch (error) {
    const isKnown = error instanceof HubError || error instanceof SkillError || error instanceof ConfigError
    if (isKnown) throw new CommandError(cleanText(error.message), 1, { cause: error })
    throw error
  }
}

/** Brings the bundled skills into the home, as the start of a chat does. What cannot be copied is told, and no more. */
export async function bringBundled({ home, environment }: SkillScope, { signal, stderr }: Cli): Promise<void> {
  try {
    await syncBundledSkills({ home, environment, signal })
  } catch (error) {
    signal.throwIfAborted()
    stderr.write(`! The bundled skills could not be copied: ${cleanText(String(error))}\n`)
  }
}

/** The same with the hub; what it has to say beside results goes to stderr. */
export async function withHub<T>(cli: Cli, work: (hub: Hub) => Promise<T>): Promise<T> {
  return withSkills(cli, async (scope) => {
    const hub = openHub({ scope, cwd: cli.cwd })
    try {
      return await work(hub)
    } finally {
      for (const notice of hub.notices) cli.stderr.write(`! ${cleanText(notice)}\n`)
    }
  })
}

/** The one positional that a command needs. Throws `UsageError`. */
export function onlyPositional({ positionals }: CommandInput, usage: string): string {
  const [first] = positionals
  if (first !== undefined && positionals.length === 1) return first
  throw new UsageError(`Write: hermes skills ${usage}`)
}

/** A positional that may be left out. */
export function optionalPositional({ positionals }: CommandInput, usage: string): string | undefined {
  if (positionals.length <= 1) return positionals[0]
  throw new UsageError(`Write: hermes skills ${usage}`)
}

/** The terminal's width, or undefined where output goes elsewhere. */
export function widthOf(cli: Cli): number | undefined {
  return cli.stdout.isTTY ? cli.stdout.columns : undefined
}
