import { addressKind } from '../security/network/address-kind.ts'
import type { UrlVerdict } from '../security/network/check-url.ts'
import type { GuardedFetch } from '../security/network/guarded-fetch.ts'
import { NetworkError } from '../security/network/network-error.ts'
import type { RefusedByRule } from '../security/network/network-error.ts'
import { ServiceError } from '../services/service-error.ts'
import { readingProvider } from './choose-providers.ts'
import { fetchPage, PageError } from './fetch-page.ts'
import { maskedText } from './masked-text.ts'
import { openProvider } from './open-provider.ts'
import { pageAddress } from './page-address.ts'
import type { KnownPage } from './page-cache.ts'
import { scanWebText } from './steering-text.ts'
import type { WebContext } from './search-web.ts'
import type { PageAnswer } from './web-provider.ts'
import type { WebSession } from './web-session.ts'

/** What came of a URL. */
export type ReadPage =
  | { readonly type: 'page'; readonly url: string; readonly page: KnownPage }
  | { readonly type: 'failed'; readonly url: string; readonly error: string; readonly policy?: RefusedByRule }

export interface PageSources {
  readonly agent: WebContext
  readonly web: WebSession
  readonly guarded: GuardedFetch
}

/** Longer pages are cut there, characters. */
export const maxPageChars = 2_000_000

const maxTitleChars = 300

type Allowed = Extract<UrlVerdict, { readonly allowed: true }>

/**
 * Reads pages side by side, in the order of their URLs: known ones from the session, public ones by the service that
 * reads, where there is one, and what it fails at, or must not hear of, by ourselves. A page that cannot be had is an
 * answer of its own; throws only when `signal` aborts: its reason.
 */
export async function readPages(
  urls: readonly string[],
  sources: PageSources,
  signal: AbortSignal,
): Promise<readonly ReadPage[]> {
  const { agent, web, guarded } = sources
  const verdicts = new Map(await Promise.all(urls.map(async (url) => [url, await guarded.check(url, signal)] as const)))
  const forService = urls.filter((url) => isPublic(verdicts.get(url)) && !web.pages.get(url))
  const answers = await answersOfService(forService, sources, signal)
  return Promise.all(
    urls.map(async (url): Promise<ReadPage> => {
      const verdict = verdicts.get(url)
      if (!verdict?.allowed) return refused(url, verdict)
      const known = web.pages.get(url)
      if (known) return (await refusalOfTarget(url, known.from, sources, signal)) ?? { type: 'page', url, page: known }
      const read = await readOne(url, answers.get(url), sources, signal)
      if (read.type === 'page') web.pages.set(url, read.page)
      else agent.log.info({ error: read.error }, 'a web page was not read')
      return read
    }),
  )
}

async function readOne(
  url: string,
  answer: PageAnswer | undefined,
  sources: PageSources,
  signal: AbortSignal,
): Promise<ReadPage> {
  if (answer?.type === 'page' && answer.text.trim() !== '') {
    const refusal = await refusalOfTarget(url, answer.from, sources, signal)
    return refusal ?? { type: 'page', url, page: await cleanPage(answer, sources, signal) }
  }
  try {
    const fetched = await fetchPage(url, { web: sources.guarded, maxChars: maxPageChars + 1 }, signal)
    return { type: 'page', url, page: await cleanPage({ ...fetched, from: fetched.url }, sources, signal) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NetworkError) return failed(url, error.message, error.policy)
    if (error instanceof PageError) return failed(url, error.message)
    // A page may break its reader in ways that nobody has thought of; the others are read all the same.
    sources.agent.log.warn({ error: String(error) }, 'a web page broke its reader')
    return failed(url, 'the page cannot be read')
  }
}

/** What the service that reads says of each URL; it may lack any of them. */
async function answersOfService(
  urls: readonly string[],
  { agent, web }: PageSources,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PageAnswer>> {
  const facts = readingProvider(agent)
  if (!facts || urls.length === 0) return new Map()
  try {
    const provider = await openProvider(facts, { agent, web })
    const answers = (await provider.read?.(urls, signal)) ?? []
    return new Map(answers.map((answer) => [answer.url, answer]))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ServiceError)) throw error
    agent.log.warn({ provider: facts.name, code: error.code, error: error.message }, 'pages are fetched without it')
    return new Map()
  }
}

/** Judges where a page came from in the end: the service, or somebody since, may have been led on. */
async function refusalOfTarget(
  url: string,
  from: string,
  { guarded }: PageSources,
  signal: AbortSignal,
): Promise<ReadPage | undefined> {
  if (pageAddress(from) === pageAddress(url)) return undefined
  const verdict = await guarded.check(from, signal)
  return verdict.allowed ? undefined : refused(url, verdict)
}

async function cleanPage(
  { from, title, text }: Pick<KnownPage, 'from' | 'title' | 'text'>,
  { agent: { redactor } }: PageSources,
  signal: AbortSignal,
): Promise<KnownPage> {
  const name = redactor.redact(title.replaceAll(/\s+/g, ' ').trim().slice(0, maxTitleChars))
  const masked = maskedText(text, redactor)
  return { from, title: name, ...(await scanWebText(masked, name, signal)) }
}

function refused(url: string, verdict: Exclude<UrlVerdict, Allowed> | undefined): ReadPage {
  return failed(url, verdict?.reason ?? 'it was not looked at', verdict?.policy)
}

function failed(url: string, error: string, policy?: RefusedByRule): ReadPage {
  if (!policy) return { type: 'failed', url, error }
  const { host, rule, source } = policy
  return { type: 'failed', url, error, policy: { host, rule, source } }
}

/** What is on this machine's own network is nobody else's business. */
function isPublic(verdict: UrlVerdict | undefined): boolean {
  return verdict?.allowed === true && verdict.addresses.every((address) => addressKind(address) === 'public')
}
