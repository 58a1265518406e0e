import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { checkUrl } from '../security/network/check-url.ts'
import { BrowserError } from './browser-error.ts'
import type { BrowserSession } from './browser-session.ts'
import { refusedHeader } from './local/guard-proxy.ts'
import type { Page } from './page/page.ts'

const navigated = z.looseObject({ errorText: z.string().optional(), isDownload: z.boolean().optional() })
const history = z.looseObject({
  currentIndex: z.number(),
  entries: z.array(z.looseObject({ id: z.number(), url: z.string() })),
})

export interface NavigateOptions {
  readonly url: string
  readonly timeoutMs: number
}

/** What opening an address has come to. */
export type Navigation = { readonly page: Page; readonly isDownload: boolean }

/** Opens an address in the current tab. Throws `BrowserError`; when `signal` aborts, its reason. */
export async function navigate(
  session: BrowserSession,
  { url, timeoutMs }: NavigateOptions,
  signal: AbortSignal,
): Promise<Navigation> {
  const verdict = await checkUrl(url, session.rules, signal)
  if (!verdict.allowed) throw new BrowserError('refused', verdict.reason)
  const page = await session.pageOrNew()
  page.refuseDialog()
  page.refusal = undefined
  page.activity.begin()
  const { errorText, isDownload } = await page.session.send('Page.navigate', { url }, navigated, { signal, timeoutMs })
  if (isDownload || (errorText === 'net::ERR_ABORTED' && session.downloadsRunning > 0)) {
    await downloaded(session, timeoutMs, signal)
    return { page, isDownload: true }
  }
  await page.settle(signal, timeoutMs)
  await refuseWhatCameOf(page, session, { url, errorText })
  return { page, isDownload: false }
}

/** Goes to the page before, or closes a tab that has none. Throws `BrowserError`. */
export async function goBack(session: BrowserSession, timeoutMs: number, signal: AbortSignal): Promise<Page> {
  const page = session.page()
  page.refuseDialog()
  const { currentIndex, entries } = await page.session.send('Page.getNavigationHistory', {}, history, { signal })
  const before = entries.slice(0, currentIndex).findLast(({ url }) => url !== 'about:blank')
  if (!before) {
    if (await session.closePage()) return session.page()
    throw new BrowserError('not-usable', 'There is no page before this one.')
  }
  page.activity.begin()
  await page.act(page.session.send('Page.navigateToHistoryEntry', { entryId: before.id }))
  await page.settle(signal, timeoutMs)
  await refuseWhatCameOf(page, session, { url: before.url, errorText: undefined })
  return page
}

/** A page that may not be shown is left at once. */
export async function refuseWhatCameOf(
  page: Page,
  session: BrowserSession,
  { url, errorText }: { readonly url: string; readonly errorText: string | undefined },
): Promise<void> {
  const { document } = page.activity
  const host = URL.parse(document?.url ?? url)?.host ?? ''
  const isRefused = document !== undefined && refusedHeader in document.headers
  const told = errorText !== undefined || isRefused ? session.browser.refusal?.(host) : undefined
  const reason = page.refusal ?? told
  page.refusal = undefined
  if (reason !== undefined || errorText !== undefined) {
    await page.session.send('Page.navigate', { url: 'about:blank' })
    if (reason !== undefined) throw new BrowserError('refused', reason)
    throw new BrowserError('failed', `${host} could not be opened: ${plainError(errorText ?? '')}`)
  }
}

function plainError(errorText: string): string {
  if (/TUNNEL_CONNECTION_FAILED|PROXY/.test(errorText)) return 'it cannot be reached'
  if (/NAME_NOT_RESOLVED/.test(errorText)) return 'its name has no address'
  if (/CERT|SSL/.test(errorText)) return `its certificate is not trusted (${errorText})`
  return errorText
}

/** Waits for a file that is being taken. */
async function downloaded(session: BrowserSession, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + timeoutMs
  while (session.downloadsRunning > 0 && performance.now() < until) await delay(25, undefined, { signal })
}
