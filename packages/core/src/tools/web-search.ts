import { z } from 'zod'
import { ServiceError } from '../services/service-error.ts'
import { searchWeb } from '../web/search-web.ts'
import type { WebSearch } from '../web/search-web.ts'
import { holdsSecret } from '../web/secret-in-text.ts'
import { markedAsData, scanWebText, steeringWarning } from '../web/steering-text.ts'
import type { SearchHit } from '../web/web-provider.ts'
import { webSessionOf } from '../web/web-session.ts'
import { defineTool, jsonResult } from './tool.ts'

const defaultLimit = 5
const maxLimit = 20
const maxQueryChars = 2_000
/** Longest title and description of one result, characters. */
const maxTitleChars = 300
const maxDescriptionChars = 2_000

const input = z.object({
  query: z.string(),
  limit: z.number().default(defaultLimit).describe(`Results, at most ${maxLimit}`),
})

export const webSearch = defineTool({
  name: 'web_search',
  toolset: 'web',
  description: 'Search the web. Returns titles, URLs and descriptions; read pages with web_extract.',
  input,
  concurrency: 'parallel',
  preview: ({ query }) => query.trim(),
  async run(args, { agent, session, progress, signal }) {
    const text = args.query.trim().slice(0, maxQueryChars).toWellFormed()
    if (text === '') return jsonResult({ error: 'query is empty: say what to look for.' }, 'error')
    if (holdsSecret(text, agent.redactor)) {
      const error = 'The query holds what looks like a secret; it is not sent to a search service.'
      return jsonResult({ success: false, error }, 'error')
    }
    const limit = Math.min(maxLimit, Math.max(1, Math.trunc(args.limit) || defaultLimit))
    try {
      const found = await searchWeb({ text, limit }, { agent, web: webSessionOf(session, agent.clock) }, signal)
      const web = await Promise.all(found.hits.map((hit, at) => shown(hit, at + 1, signal)))
      const strange = web.filter((one) => 'warning' in one).length
      if (strange > 0) progress(`${strange} of the results try to steer the agent; they are marked as data.\n`)
      return jsonResult({ success: true, data: { web }, provider: found.provider.title, ...noteOf(found) })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return jsonResult({ success: false, error: `The search failed. ${error.message}` }, 'error')
    }
  },
})

async function shown(hit: SearchHit, position: number, signal: AbortSignal) {
  const title = short(hit.title, maxTitleChars)
  const { text, steering } = await scanWebText(short(hit.description, maxDescriptionChars), title, signal)
  const { url } = hit
  if (steering.length === 0) return { title, url, description: text, position }
  return { warning: steeringWarning(steering), title, url, description: markedAsData(text), position }
}

function short(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`
}

/** What the model and the person should know of where the results come from. */
function noteOf({ hits, provider, failures }: WebSearch): { readonly note?: string } {
  const notes = [
    ...failures,
    ...(provider.needs === undefined
      ? [`Searched with ${provider.title}, which takes no key and few searches: ask for little.`]
      : []),
    ...(hits.length === 0 ? ['Nothing was found: try fewer or other words.'] : []),
  ]
  return notes.length > 0 ? { note: notes.join(' ') } : {}
}
