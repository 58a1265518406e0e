import type { Environment } from '../agent/context.ts'
import { runInGroup } from '../terminals/run-in-group.ts'

/** How long GitHub's command line may take. */
const timeoutMs = 5000
/** How long its answer is believed. */
const keptMs = 5 * 60_000

/** The token of GitHub's own command line (`gh auth token`), asked for at most every five minutes. */
export type GhToken = () => Promise<string | undefined>

export function createGhToken(environment: Environment, now: () => number): GhToken {
  let last: { readonly atMs: number; readonly token: Promise<string | undefined> } | undefined
  return () => {
    if (!last || now() - last.atMs >= keptMs) last = { atMs: now(), token: ask(environment) }
    return last.token
  }
}

/** Undefined when there is no `gh`, or it is not signed in. */
async function ask(environment: Environment): Promise<string | undefined> {
  const host = environment['COPILOT_GH_HOST']?.trim().replace(/^https?:\/\//, '')
  // A token in the environment would be printed back in place of the one that `gh` keeps.
  const { GH_TOKEN: _gh, GITHUB_TOKEN: _github, ...rest } = environment
  const args = ['auth', 'token', ...(host ? ['--hostname', host] : [])]
  const { end, code, stdout } = await runInGroup(
    { program: 'gh', args, env: rest, timeoutMs, maxChars: 65_536 },
    new AbortController().signal,
  )
  return end === 'exited' && code === 0 ? stdout.trim() || undefined : undefined
}
