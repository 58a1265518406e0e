import { z } from 'zod'
import { inLanes } from '../agent/in-lanes.ts'
import { createGuardedFetch } from '../security/network/guarded-fetch.ts'
import { pageAddress } from '../web/page-address.ts'
import type { KnownPage } from '../web/page-cache.ts'
import { maxPageChars, readPages } from '../web/read-pages.ts'
import type { ReadPage } from '../web/read-pages.ts'
import { holdsSecret } from '../web/secret-in-text.ts'
import { markedAsData, scanWebText, steeringWarning } from '../web/steering-text.ts'
import { maxShownChars, summarisePage } from '../web/summarise-page.ts'
import { webSessionOf } from '../web/web-session.ts'
import { keepWhole } from './result-limit.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext } from './tool.ts'

const maxUrls = 5
/** Pages that are summarised at a time. */
const maxSummarised = 3

const input = z.object({
  urls: z.array(z.string()).describe(`Pages or PDF documents, at most ${maxUrls}`),
})

export const webExtract = defineTool({
  name: 'web_extract',
  toolset: 'web',
  description:
    'Read web pages and PDF documents as Markdown. Long ones are summarised; their whole text is kept in a file.',
  input,
  concurrency: 'parallel',
  preview: ({ urls }) => urls.join(' '),
  async run({ urls: asked }, context) {
    const all = [...new Set(asked.map((url) => completeUrl(url.trim())).filter((url) => url !== ''))]
    const urls = all.slice(0, maxUrls)
    if (urls.length === 0) return jsonResult({ success: false, error: 'urls is empty: name the pages.' }, 'error')
    if (urls.some((url) => holdsSecret(url, context.agent.redactor))) {
      const error = 'A URL holds what looks like a secret, which its server would be told. Nothing was fetched.'
      return jsonResult({ success: false, error }, 'error')
    }
    const { agent, session, signal } = context
    const web = webSessionOf(session, agent.clock)
    const { home, environment, config } = agent
    const guarded = createGuardedFetch({ home, environment, settings: config.security })
    const read = await readPages(urls, { agent, web, guarded }, signal)
    const results = await inLanes(read, maxSummarised, (one, at) => shown(one, at, context))
    const left = all.slice(maxUrls)
    const note = left.length > 0 ? { note: `Only ${maxUrls} are read at a time; left out: ${left.join(' ')}` } : {}
    return jsonResult({ results, ...note }, read.some(({ type }) => type === 'page') ? 'ok' : 'error')
  },
})

/** `example.com/page` means https. */
function completeUrl(url: string): string {
  return url === '' || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[\w.-]+:\d/.test(url)) ? url : `https://${url}`
}

async function shown(read: ReadPage, at: number, context: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const { url } = read
  if (read.type === 'failed') {
    const { error, policy } = read
    return { url, title: '', content: '', error, ...(policy && { blocked_by_policy: policy }) }
  }
  const { content, steering, note } = await contentOf(url, read.page, at, context)
  const told = { ...(note !== undefined && { note }), error: null }
  const { title, from } = read.page
  const about = { url, ...(pageAddress(from) !== pageAddress(url) && { redirected_to: from }), title }
  if (steering.length === 0) return { ...about, content, ...told }
  context.progress(`${hostOf(from)} tries to steer the agent (${steering.join(', ')}); its text is marked as data.\n`)
  return { ...about, warning: steeringWarning(steering), content: markedAsData(content), ...told }
}

interface Content {
  readonly content: string
  readonly steering: readonly string[]
  /** What was done to it. */
  readonly note?: string
}

/** A short page as it is; what a model says of a long one, or else its beginning, with the whole in a file. */
async function contentOf(url: string, page: KnownPage, at: number, context: ToolContext): Promise<Content> {
  const { text, steering } = page
  if (text.length <= maxShownChars) return { content: text, steering }
  const { agent, session, turn, signal } = context
  const kept = steering.length === 0 ? text : `${steeringWarning(steering)}\n\n${markedAsData(text)}`
  const file = await keepWhole(kept, `page-${at + 1}-${context.callId}`, agent.home)
  const size = text.length > maxPageChars ? `more than ${maxPageChars}` : `${text.length}`
  const whole = `The page has ${size} characters; its text is in ${file}: read or search that for more.`
  const isReadable = text.length <= maxPageChars
  const source = { agent, main: turn.model, sessionId: session.sessionId }
  const written = page.summary ?? (isReadable ? await summarisePage(page, source, signal) : undefined)
  const summary = written === undefined ? undefined : agent.redactor.redact(written)
  // What steers a summary has come from the page.
  if (summary === undefined || (await scanWebText(summary, '', signal)).steering.length > 0) {
    return { content: beginning(text), steering, note: `This is its beginning. ${whole}` }
  }
  webSessionOf(session, agent.clock).pages.set(url, { ...page, summary })
  return { content: beginning(summary), steering, note: `This is a summary. ${whole}` }
}

function beginning(text: string): string {
  return text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars - 1).toWellFormed()}…`
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
