import { BrowserError } from '../../browser/browser-error.ts'
import type { BrowserSession } from '../../browser/browser-session.ts'
import type { Page } from '../../browser/page/page.ts'
import { FileSafetyError } from '../../security/file-safety-error.ts'
import { NetworkError } from '../../security/network/network-error.ts'
import { jsonResult } from '../tool.ts'
import type { ToolContext, ToolResult } from '../tool.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a call works with. */
export interface BrowserCall {
  readonly browser: BrowserSession
  /** The current tab. */
  readonly page: Page
  /** Ends with the turn or with the call's time. */
  readonly signal: AbortSignal
  /** Longest for a page to load, ms. */
  readonly loadMs: number
}

/** Shortest that loading a page gets, seconds. */
const minLoadSeconds = 60

/** Longest that a page gets to load. */
export function loadMsOf({ agent }: ToolContext): number {
  return Math.max(minLoadSeconds, agent.config.browser.command_timeout) * 1000
}

/** Does something with the session's current page, in the time that `browser.command_timeout` gives. */
export function withPage(context: ToolContext, work: (call: BrowserCall) => Promise<Fields>): Promise<ToolResult> {
  const limitMs = context.agent.config.browser.command_timeout * 1000
  return withBrowser(context, { limitMs }, async (browser, signal) => {
    const page = browser.page()
    page.refuseDialog()
    return work({ browser, page, signal, loadMs: loadMsOf(context) })
  })
}

/** Uses the session's browser and answers in upstream's form. What the page did meanwhile is told with it. */
export async function withBrowser(
  context: ToolContext,
  { limitMs }: { readonly limitMs: number },
  work: (browser: BrowserSession, signal: AbortSignal) => Promise<Fields>,
): Promise<ToolResult> {
  const { session, agent } = context
  const time = AbortSignal.timeout(limitMs)
  const signal = AbortSignal.any([context.signal, time])
  let notices: readonly string[] = []
  const told = () => (notices.length === 0 ? {} : { notices })
  const hide = (fields: Fields): Fields => hidden(fields, (text) => agent.redactor.redact(text)) as Fields
  try {
    const fields = await session.browser.use(async (browser) => {
      try {
        return await work(browser, signal)
      } finally {
        if (time.aborted) await browser.stopLoading()
        await browser.settled()
        notices = browser.takeNotices()
      }
    }, signal)
    return jsonResult(hide({ success: true, ...fields, ...told() }))
  } catch (error) {
    context.signal.throwIfAborted()
    const message = messageOf(error, time.aborted ? limitMs : undefined)
    if (message === undefined) throw error
    return jsonResult(hide({ success: false, error: message, ...told(), ...detailsOf(error) }), 'error')
  }
}

/** A failure that has more to say than its message. */
export class DetailedFailure extends BrowserError {
  readonly details: Fields

  constructor(message: string, details: Fields, options?: { cause?: unknown }) {
    super('failed', message, options)
    this.details = details
  }
}

function detailsOf(error: unknown): Fields {
  return error instanceof DetailedFailure ? error.details : {}
}

function messageOf(error: unknown, limitMs: number | undefined): string | undefined {
  if (error instanceof BrowserError || error instanceof NetworkError || error instanceof FileSafetyError) {
    return error.message
  }
  if (limitMs === undefined) return undefined
  return `The browser took longer than ${limitMs / 1000} s, so that the page was told to stop loading. browser_snapshot shows where it stands.`
}

/** Each text of a result with its secrets hidden; the form stays. */
function hidden(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => hidden(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hidden(item, redact)]))
}
