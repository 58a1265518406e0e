import type { GuardedFetch } from '../security/network/guarded-fetch.ts'
import { decodeText } from './decode-text.ts'

export type PageErrorCode =
  /** The server answered with a status that means a failure. */
  | 'status'
  /** Neither a page nor text nor a PDF document. */
  | 'kind'
  /** It has no text. */
  | 'empty'
  | 'broken'

/** A URL was fetched and is no page that can be read. `NetworkError` is for what was not fetched. */
export class PageError extends Error {
  override readonly name = 'PageError'
  readonly code: PageErrorCode

  constructor(code: PageErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

export interface FetchedPage {
  /** Where it came from, after redirects. */
  readonly url: string
  /** Empty when it has none. */
  readonly title: string
  /** Markdown for pages and PDF documents, the text itself for everything else. */
  readonly text: string
  readonly kind: 'page' | 'pdf' | 'text'
  /** Text was cut off at `maxChars`. */
  readonly isCut: boolean
}

const accept = 'text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,application/pdf;q=0.8,*/*;q=0.5'

/** Fetches a page and makes it readable. Throws `NetworkError` or `PageError`; when `signal` aborts, its reason. */
export async function fetchPage(
  url: string,
  { web, maxChars }: { readonly web: GuardedFetch; readonly maxChars: number },
  signal: AbortSignal,
): Promise<FetchedPage> {
  await using response = await web.fetch({ url, headers: { accept } }, signal)
  const { host } = new URL(response.url)
  if (response.status < 200 || response.status > 299) {
    throw new PageError('status', `${host} answered with status ${response.status}`)
  }
  const read = await readBody(
    await response.bytes(),
    { contentType: response.headers['content-type'] ?? '', url: response.url, host },
    signal,
  )
  if (read.text.trim() === '') throw new PageError('empty', `the page of ${host} holds no text`)
  const isCut = read.text.length > maxChars
  return { ...read, url: response.url, text: isCut ? read.text.slice(0, maxChars).toWellFormed() : read.text, isCut }
}

interface BodyFacts {
  readonly contentType: string
  readonly url: string
  readonly host: string
}

async function readBody(bytes: Buffer, { contentType, url, host }: BodyFacts, signal: AbortSignal) {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/pdf' || bytes.subarray(0, 5).toString('latin1') === '%PDF-') {
    const { pdfText } = await import('./pdf-text.ts')
    try {
      const { title, markdown } = await pdfText(bytes, signal)
      return { title, text: markdown, kind: 'pdf' } as const
    } catch (error) {
      signal.throwIfAborted()
      throw new PageError('broken', `the PDF document of ${host} cannot be read`, { cause: error })
    }
  }
  if (!isText(type, bytes))
    throw new PageError('kind', `${host} sent no text but ${type || 'something without a type'}`)
  const text = decodeText(bytes, contentType)
  if (
    type !== 'text/html' &&
    type !== 'application/xhtml+xml' &&
    !(type === '' && /^\s{0,999}<(?:!doctype|html)/i.test(text))
  ) {
    return { title: '', text, kind: 'text' } as const
  }
  const { readablePage } = await import('./readable-page.ts')
  const { title, markdown } = await readablePage(text, url)
  return { title, text: markdown, kind: 'page' } as const
}

function isText(type: string, bytes: Buffer): boolean {
  if (
    /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-javascript|toml|x-ndjson|x-sh)$|^application\/(?:json|xml|rss|atom)/.test(
      type,
    )
  ) {
    return true
  }
  return (type === '' || type === 'application/octet-stream') && !bytes.subarray(0, 8_000).includes(0)
}
