import { PlatformError } from '../platform-error.ts'

/** What the clients of both protocols tell of a failure. */
interface MailFailure {
  readonly code?: string
  /** Of SMTP. */
  readonly responseCode?: number
  readonly response?: unknown
  /** Of IMAP. */
  readonly authenticationFailed?: boolean
  readonly serverResponseCode?: string
  readonly responseText?: string
}

/** How long a mail server that asks for patience is left alone, ms. */
const patienceMs = 60_000

/** Longest part of a server's own words that is passed on, characters. */
const maxWords = 200

export function asFailure(error: unknown): MailFailure {
  return typeof error === 'object' && error !== null ? error : {}
}

/** A failure of IMAP in the gateway's words. */
export function imapError(error: unknown, host: string): PlatformError {
  if (error instanceof PlatformError) return error
  const { authenticationFailed, serverResponseCode, responseText } = asFailure(error)
  const isBusy = /^(?:UNAVAILABLE|INUSE|LIMIT|OVERQUOTA)$/.test(serverResponseCode ?? '')
  if (authenticationFailed && !isBusy) {
    return new PlatformError(
      'unauthorised',
      `${host} does not take the user name or password${words(responseText)}. Where two factors are needed, it wants an app password.`,
      { cause: error },
    )
  }
  return unreachable(error, host)
}

/**
 * A failure of SMTP in the gateway's words. `hasAll`: the server had got the whole mail when it happened, so that without
 * its answer nobody knows whether it was taken.
 */
export function smtpError(error: unknown, host: string, hasAll: boolean): PlatformError {
  if (error instanceof PlatformError) return error
  const { code, responseCode, response } = asFailure(error)
  const said = words(response)
  if (responseCode === undefined || responseCode === 0) {
    if (hasAll) {
      return new PlatformError('uncertain', `${host} did not say whether it took the mail.`, { cause: error })
    }
    if (code === 'EENVELOPE') {
      return new PlatformError('refused', 'The address is none that mail can be sent to.', { cause: error })
    }
    if (code === 'EMESSAGE') return tooLong(host, '', error)
    if (code === 'EAUTH') {
      return new PlatformError('unauthorised', `${host} offers no way to sign in that is known.`, { cause: error })
    }
    return unreachable(error, host)
  }
  if (responseCode < 500) {
    return new PlatformError('rate-limited', `${host} wants the mail later${said}.`, {
      retryAfterMs: patienceMs,
      cause: error,
    })
  }
  if (code === 'EAUTH' || responseCode === 530 || responseCode === 535) {
    return new PlatformError(
      'unauthorised',
      `${host} does not take the user name or password${said}. Where two factors are needed, it wants an app password.`,
      { cause: error },
    )
  }
  if (responseCode === 552 || /\b5\.3\.4\b/.test(String(response))) return tooLong(host, said, error)
  return new PlatformError('refused', `${host} refuses the mail${said}.`, { cause: error })
}

function tooLong(host: string, said: string, cause: unknown): PlatformError {
  return new PlatformError('too-long', `The mail is larger than ${host} takes${said}.`, { cause })
}

function unreachable(error: unknown, host: string): PlatformError {
  const { code = '' } = asFailure(error)
  const text = error instanceof Error ? error.message : String(error)
  const isCertificate = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_(?:GET|VERIFY)/.test(code) || /certificate/i.test(text)
  return new PlatformError(
    'unreachable',
    isCertificate
      ? `The certificate of ${host} is not vouched for (${code || 'TLS'}). Name its authority in EMAIL_CA_FILE.`
      : `${host} cannot be reached${words(code || text)}.`,
    { cause: error },
  )
}

function words(said: unknown): string {
  const text = typeof said === 'string' ? said.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim() : ''
  return text === '' ? '' : `: ${text.slice(0, maxWords).toWellFormed().replace(/\.$/, '')}`
}
