// DuckDuckGo's page for browsers without scripts, which takes no key. Links to results go through its own redirect and
// name their target in `uddg`; advertisements look like results but for their class. Whoever asks too often gets a
// puzzle for people, with status 202.
import { NetworkError } from '../../security/network/network-error.ts'
import { ServiceError } from '../../services/service-error.ts'
import type { ServiceErrorCode } from '../../services/service-error.ts'
import { parsePage } from '../page-document.ts'
import type { PageElement } from '../page-document.ts'
import type { OpenWebProvider, SearchHit } from '../web-provider.ts'

const service = 'DuckDuckGo'
/** How long it is left alone when it has had enough, ms. */
const restMs = 60_000
const maxAnswerBytes = 2 * 1024 * 1024
const limits = { maxBytes: maxAnswerBytes, totalMs: 20_000 }

export const openDuckDuckGo: OpenWebProvider = ({ environment, breaker, web, pace }) => {
  const base = (environment['DUCKDUCKGO_URL'] || 'https://html.duckduckgo.com').replace(/\/+$/, '')
  const ask = async (query: string, signal: AbortSignal): Promise<string> => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Mozilla/5.0 (compatible; Hermes/1.0)',
      accept: 'text/html',
    }
    const body = new URLSearchParams({ q: query, b: '' }).toString()
    await using response = await web.fetch({ url: `${base}/html/`, method: 'POST', headers, body, limits }, signal)
    const { status } = response
    if (status === 202 || status === 403 || status === 429) throw hadEnough(status)
    if (status !== 200) throw new ServiceError('unreachable', `${service} answered with HTTP ${status}.`, { status })
    return (await response.bytes()).toString('utf8')
  }
  return {
    async search({ text, limit }, signal) {
      breaker.check()
      await pace.turn(service, signal)
      try {
        const hits = await hitsIn(await ask(text, signal))
        breaker.succeeded()
        return hits.slice(0, limit)
      } catch (error) {
        signal.throwIfAborted()
        const failure = error instanceof NetworkError ? asServiceError(error) : error
        if (!(failure instanceof ServiceError)) throw failure
        if (failure.code === 'rate-limited') pace.rest(restMs)
        breaker.failed(failure)
        throw failure
      }
    },
  }
}

async function hitsIn(html: string): Promise<readonly SearchHit[]> {
  const page = await parsePage(html)
  const hits = [...page.querySelectorAll('.result')].flatMap((result) => hitOf(result) ?? [])
  if (hits.length > 0) return hits
  if (page.querySelector('#challenge-form, .anomaly-modal__modal')) throw hadEnough(undefined)
  if (page.querySelector('.no-results')) return []
  throw new ServiceError('malformed', `${service} answered with a page that is not known.`)
}

function hitOf(result: PageElement): SearchHit | undefined {
  const link = result.querySelector('a.result__a')
  if (!link || /(?:^|\s)result--ad(?:\s|$)/.test(result.getAttribute('class') ?? '')) return undefined
  const url = targetOf(link.getAttribute('href') ?? '')
  if (url === undefined) return undefined
  return { url, title: oneLine(link), description: oneLine(result.querySelector('.result__snippet')) }
}

/** Where a link leads in the end; undefined for what is no page, as the links of advertisements. */
function targetOf(href: string): string | undefined {
  const link = URL.parse(href, 'https://duckduckgo.com')
  const target = link?.pathname === '/l/' ? URL.parse(link.searchParams.get('uddg') ?? '') : link
  const isPage = target?.protocol === 'https:' || target?.protocol === 'http:'
  return isPage && !/(?:^|\.)duckduckgo\.com$/.test(target.hostname) ? target.href : undefined
}

function oneLine(element: PageElement | null): string {
  return (element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
}

function hadEnough(status: number | undefined): ServiceError {
  const message = `${service} takes no more searches from here for now. Try again later, or set up a service with a key.`
  return new ServiceError('rate-limited', message, { retryAfterMs: restMs, ...(status !== undefined && { status }) })
}

function asServiceError(error: NetworkError): ServiceError {
  const codes: Readonly<Record<string, ServiceErrorCode>> = { timeout: 'timeout', 'too-large': 'too-large' }
  const isOutage = ['unreachable', 'dns', 'encoding'].includes(error.code)
  const code = codes[error.code] ?? (isOutage ? 'unreachable' : 'refused')
  return new ServiceError(code, `${service} cannot be asked: ${error.message}.`, { cause: error })
}
