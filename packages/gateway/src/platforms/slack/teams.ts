import { readFile } from 'node:fs/promises'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { PlatformHost } from '../platform.ts'
import { PlatformError } from '../platform-error.ts'
import { createBoundedMap } from './bounded-map.ts'
import type { SlackClient } from './client.ts'

/** A workspace, and who we are there. */
export interface SlackTeam {
  readonly id: string
  readonly name: string
  readonly token: string
  readonly botUserId: string
  readonly botId: string | undefined
}

/** The workspaces of the tokens. */
export interface SlackTeams {
  readonly all: readonly SlackTeam[]
  /** Where an event came from. Undefined: a workspace that we have no token of. */
  find(id: string | undefined): SlackTeam | undefined
  /** A channel is one of this workspace. */
  note(channel: string, team: SlackTeam): void
  /** The workspace of a channel; asks the service where it is not known. Throws `PlatformError` `gone`. */
  ofChannel(channel: string, signal: AbortSignal): Promise<SlackTeam>
}

const maxChannels = 5_000

const identity = z.looseObject({
  team_id: z.string(),
  team: z.string().default(''),
  user_id: z.string(),
  bot_id: z.string().optional(),
})

/** Upstream's file of further workspaces. */
const tokenFile = lazily(() =>
  z.record(z.string(), z.looseObject({ token: z.string().min(1), team_name: z.string().optional() })),
)

/**
 * Asks for each token whose it is: those of the settings, and of `slack_tokens.json`. A token that is not accepted is told
 * in the log, as long as there is one that is. Throws `PlatformError`.
 */
export async function openTeams(
  tokens: readonly string[],
  client: SlackClient,
  { host, signal }: { readonly host: Pick<PlatformHost, 'home' | 'log'>; readonly signal: AbortSignal },
): Promise<SlackTeams> {
  const all = [...new Set([...tokens, ...(await storedTokens(host))])]
  const results = await Promise.allSettled(all.map((token) => identify(token, client, signal)))
  signal.throwIfAborted()
  const teams = new Map<string, SlackTeam>()
  for (const result of results) {
    if (result.status === 'fulfilled') teams.set(result.value.id, result.value)
    else host.log.error({ error: String(result.reason) }, 'a workspace of Slack is left out')
  }
  const failed = results.find((result) => result.status === 'rejected')
  // A workspace that cannot be reached now is not left out for good.
  if (failed && (teams.size === 0 || !isRefused(failed.reason))) throw failed.reason
  return teamsOf([...teams.values()], client)
}

function isRefused(error: unknown): boolean {
  return error instanceof PlatformError && ['unauthorised', 'refused'].includes(error.code)
}

function teamsOf(all: readonly SlackTeam[], client: SlackClient): SlackTeams {
  const channels = createBoundedMap<SlackTeam>(maxChannels)
  const only = all.length === 1 ? all[0] : undefined
  return {
    all,
    find: (id) => all.find((team) => team.id === id) ?? only,
    note: (channel, team) => channels.set(channel, team),
    async ofChannel(channel, signal) {
      const known = only ?? channels.get(channel)
      if (known) return known
      for (const team of all) {
        try {
          await client.call(team.token, 'conversations.info', { channel }, { signal })
          channels.set(channel, team)
          return team
        } catch (error) {
          // It is not there, or the app is no longer in the workspace.
          if (!(error instanceof PlatformError) || !['gone', 'unauthorised'].includes(error.code)) throw error
        }
      }
      throw new PlatformError('gone', 'Slack: no workspace of the tokens has this channel.')
    },
  }
}

async function identify(token: string, client: SlackClient, signal: AbortSignal): Promise<SlackTeam> {
  const answer = await client.call(token, 'auth.test', {}, { signal })
  const { team_id: id, team: name, user_id: botUserId, bot_id: botId } = identity.parse(answer)
  return { id, name, token, botUserId, botId }
}

async function storedTokens({ home, log }: Pick<PlatformHost, 'home' | 'log'>): Promise<readonly string[]> {
  try {
    const stored = tokenFile().parse(JSON.parse(await readFile(home.path('slack_tokens.json'), 'utf8')))
    return Object.values(stored).map(({ token }) => token)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error
    log.error({}, 'slack_tokens.json is not as it should be, and is left out')
    return []
  }
}
