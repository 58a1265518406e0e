import { createHash, timingSafeEqual } from 'node:crypto'
import { CredentialError } from '../credential-error.ts'

export interface CallbackCheck {
  /** What this sign-in sent along. */
  readonly state: string
  readonly title: string
  readonly isStateNeeded: boolean
}

/** The code that a browser brought back. Throws `CredentialError`: `denied`, `state-mismatch` or `refused`. */
export function codeFrom(query: URLSearchParams, { state, title, isStateNeeded }: CallbackCheck): string {
  const given = query.get('state')
  if (given === null ? isStateNeeded : !isSame(given, state)) {
    throw new CredentialError('state-mismatch', `What came back does not belong to this sign-in to ${title}.`)
  }
  const error = query.get('error')
  if (error !== null) {
    const why = (query.get('error_description') ?? error).slice(0, 200).replace(/\p{Cc}+/gu, ' ')
    const code = error === 'access_denied' ? 'denied' : 'refused'
    throw new CredentialError(code, `The sign-in to ${title} was declined: ${why}`)
  }
  const code = query.get('code')
  if (!code) throw new CredentialError('refused', `What came back from ${title} has no code in it.`)
  return code
}

/** The code in what a person pasted: the browser's whole address, `code#state` as the page shows it, or the code alone. */
export function codeFromPasted(pasted: string, check: Omit<CallbackCheck, 'isStateNeeded'>): string {
  const text = pasted.trim()
  if (/^https?:\/\//i.test(text)) {
    const url = URL.parse(text)
    if (url) return codeFrom(url.searchParams, { ...check, isStateNeeded: true })
  }
  const [code = '', state] = text.split('#')
  const query = new URLSearchParams({ code, ...(state !== undefined && { state }) })
  return codeFrom(query, { ...check, isStateNeeded: false })
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
