import { z } from 'zod'
import { type FoundConversation, findConversations } from './session-search/find-conversations.ts'
import { openLineages } from './session-search/lineage.ts'
import { summarise } from './session-search/summarise.ts'
import { partAround } from './session-search/transcript.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext } from './tool.ts'

const defaultLimit = 3
const maxLimit = 5

/** Characters of a conversation that stand in for its summary, around its best match; further matches follow it. */
const previewChars = 500
const maxFurther = 3

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
    'Search past conversations and what was summarised away from this one; without a query, list the latest. Use it unasked when the user refers to something from before. Words next to each other must all occur: join alternatives with OR.',
  input,
  concurrency: 'parallel',
  preview: ({ query }) => query?.trim() || 'latest sessions',
  async run(args, context) {
    const limit = Math.min(maxLimit, Math.max(1, Math.trunc(args.limit) || defaultLimit))
    const query = args.query?.trim() ?? ''
    if (query === '') return latest(context, limit)
    return search({ query, roles: wantedRoles(args.role_filter), limit }, context)
  },
})

async function latest({ agent: { sessions, clock, redactor }, session }: ToolContext, limit: number) {
  const current = (await openLineages(sessions).root(session.sessionId))?.id
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
      preview: redactor.redact(each.preview),
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
  readonly query: string
  readonly roles: readonly (typeof roles)[number][] | undefined
  readonly limit: number
}

async function search({ query, roles: wanted, limit }: Search, { agent, session, turn, signal }: ToolContext) {
  const { sessions, clock, redactor } = agent
  const { sessionId } = session
  const found = await findConversations({ sessions, sessionId, query, roles: wanted, limit }, signal)
  const summaries = await summarise(found, { agent, main: turn.model, sessionId, query }, signal)
  const results = found.map((conversation, at) => {
    const [best] = conversation.hits
    return {
      session_id: conversation.rootId,
      ...(best?.sessionTitle !== undefined && { title: best.sessionTitle }),
      when: best ? readableTime(best.sessionStartedAt, clock.timeZone) : null,
      source: best?.source,
      model: best?.model ?? null,
      ...(conversation.isOwn && { this_conversation: true }),
      summary: summaries[at] ?? redactor.redact(excerpt(conversation)),
    }
  })
  return jsonResult({
    success: true,
    query,
    results,
    count: results.length,
    sessions_searched: results.length,
    ...(results.length === 0 && { message: 'No session matches. Try fewer or other words, or join them with OR.' }),
  })
}

/** What is given where no model could summarise: the transcript around the best match, and a line for each further one. */
function excerpt({ transcript, hits }: FoundConversation): string {
  const further = hits.slice(1, 1 + maxFurther).map(({ role, snippet }) => {
    const line = snippet
      .replaceAll(/>>>|<<</g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return `[${role.toUpperCase()}]: ${line}`
  })
  const also = further.length > 0 ? `\n\nFurther matches:\n${further.join('\n')}` : ''
  return `[Raw preview, no summary is available]\n${partAround({ ...transcript, marks: transcript.marks.slice(0, 1) }, previewChars)}${also}`
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
