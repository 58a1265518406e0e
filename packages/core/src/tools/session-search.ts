import { z } from 'zod'
import type { AgentContext } from '../agent/context.ts'
import type { SearchHit, Session, SessionStore, StoredMessage } from '../sessions/store.ts'
import { defineTool, jsonResult } from './tool.ts'

const defaultLimit = 3
const maxLimit = 5

/** Hits that are looked at for sessions to show. */
const searchedHits = 50

/** Characters of a session that stand in for its summary, and how much of them comes before the match. */
const previewChars = 500
const previewLead = 125

/** Parents that are followed up to a session's root; a longer line is taken for a ring. */
const maxGenerations = 100

/** Sources whose sessions are the work of tools, not conversations. */
const hiddenSources = ['tool']

const roles = ['user', 'assistant', 'tool', 'system'] as const

const input = z.object({
  query: z
    .string()
    .optional()
    .describe('Words, "a phrase", word*, joined by AND, OR, NOT. Leave out for the latest sessions'),
  role_filter: z.string().optional().describe('Only messages of these roles, with commas between: user,assistant'),
  limit: z.number().default(defaultLimit).describe(`Sessions to return, at most ${maxLimit}`),
})

export const sessionSearch = defineTool({
  name: 'session_search',
  toolset: 'session_search',
  description:
    'Search past conversations, or list the latest ones without a query. Use it unasked when the user refers to something from before. Words next to each other must all occur: join alternatives with OR.',
  input,
  concurrency: 'parallel',
  preview: ({ query }) => query?.trim() || 'latest sessions',
  async run(args, { agent, session, signal }) {
    const limit = Math.min(maxLimit, Math.max(1, Math.trunc(args.limit) || defaultLimit))
    const roots = rootFinder(agent.sessions)
    const current = await roots(session.sessionId)
    const query = args.query?.trim() ?? ''
    if (query === '') return latest(agent, current?.id, limit)
    return search({ agent, query, roles: wantedRoles(args.role_filter), limit, current: current?.id, roots }, signal)
  },
})

async function latest({ sessions, clock }: AgentContext, current: string | undefined, limit: number) {
  const list = await sessions.list({ limit: limit + 1 })
  const results = list
    .filter((each) => each.id !== current)
    .slice(0, limit)
    .map((each) => ({
      session_id: each.id,
      title: each.title ?? null,
      source: each.source,
      started_at: readableTime(each.startedAt, clock.timeZone),
      last_active: readableTime(each.lastActiveAt, clock.timeZone),
      message_count: each.messageCount,
      preview: each.preview,
    }))
  return jsonResult({
    success: true,
    mode: 'recent',
    results,
    count: results.length,
    message: `The ${results.length} latest sessions. Give a query to search for a topic.`,
  })
}

interface Search {
  readonly agent: AgentContext
  readonly query: string
  readonly roles: readonly (typeof roles)[number][] | undefined
  readonly limit: number
  readonly current: string | undefined
  readonly roots: (id: string) => Promise<Session | undefined>
}

async function search({ agent, query, roles, limit, current, roots }: Search, signal: AbortSignal) {
  const hits = await agent.sessions.search(query, { limit: searchedHits, roles, excludeSources: hiddenSources })
  const best = new Map<string, SearchHit>()
  for (const hit of hits) {
    signal.throwIfAborted()
    const root = (await roots(hit.sessionId))?.id ?? hit.sessionId
    if (root !== current && !best.has(root)) best.set(root, hit)
  }
  const results = []
  for (const [root, hit] of [...best].slice(0, limit)) {
    signal.throwIfAborted()
    results.push({
      session_id: root,
      when: readableTime(hit.sessionStartedAt, agent.clock.timeZone),
      source: hit.source,
      model: hit.model ?? null,
      summary: `[Raw preview, no summary is available]\n${preview(await agent.sessions.messages(hit.sessionId), hit)}`,
    })
  }
  return jsonResult({
    success: true,
    query,
    results,
    count: results.length,
    sessions_searched: best.size,
    ...(results.length === 0 && { message: 'No session matches. Try fewer or other words, or join them with OR.' }),
  })
}

/** Finds a session's first ancestor, each session read once. */
function rootFinder(sessions: SessionStore): (id: string) => Promise<Session | undefined> {
  const known = new Map<string, Promise<Session | undefined>>()
  const get = (id: string) => {
    const session = known.get(id) ?? sessions.get(id)
    known.set(id, session)
    return session
  }
  return async (id) => {
    let session = await get(id)
    for (let i = 0; i < maxGenerations && session?.parentId !== undefined; i += 1) {
      session = (await get(session.parentId)) ?? session
    }
    return session
  }
}

/** The part of a session around a hit, as a transcript. */
function preview(messages: readonly StoredMessage[], hit: SearchHit): string {
  const at = messages.findIndex(({ id }) => id === hit.messageId)
  if (at < 0) return ''
  const found = transcriptLine(messages[at]!)
  let [before, after] = ['', '']
  for (let i = at - 1; i >= 0 && before.length < previewChars; i -= 1) {
    before = `${transcriptLine(messages[i]!)}\n\n${before}`
  }
  for (let i = at + 1; i < messages.length && after.length < previewChars; i += 1) {
    after += `\n\n${transcriptLine(messages[i]!)}`
  }
  const text = before + found + after
  const match = before.length + matchIndex(found, hit.snippet)
  const start = Math.max(0, Math.min(match - previewLead, text.length - previewChars))
  const shown = text
    .slice(start, start + previewChars)
    .trim()
    .toWellFormed()
  return `${start > 0 ? '…' : ''}${shown}${start + previewChars < text.length ? '…' : ''}`
}

/** Where the first match of a snippet is in the text that it is from. */
function matchIndex(text: string, snippet: string): number {
  const [, lead = '', match = ''] = /^(?:\.\.\.)?(.*?)>>>(.*?)<<</s.exec(snippet) ?? []
  return Math.max(0, text.indexOf(lead + match)) + lead.length
}

function transcriptLine({ message }: StoredMessage): string {
  if (message.role === 'tool') return `[TOOL:${message.toolName}]: ${message.content}`
  const calls = message.role === 'assistant' ? message.toolCalls.map((call) => call.name) : []
  const called = calls.length > 0 ? `[Called: ${calls.join(', ')}] ` : ''
  return `[${message.role.toUpperCase()}]: ${called}${message.content}`
}

function wantedRoles(filter: string | undefined): Search['roles'] {
  const wanted = (filter ?? '').split(',').map((role) => role.trim().toLowerCase())
  const known = roles.filter((role) => wanted.includes(role))
  return known.length > 0 ? known : undefined
}

function readableTime(time: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'long', timeStyle: 'short' })
  return format.format(time)
}
