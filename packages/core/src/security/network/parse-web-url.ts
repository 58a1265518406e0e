import { NetworkError } from './network-error.ts'

/** A URL that can be judged: the host as it is connected to, without brackets. */
export interface WebUrl {
  readonly url: URL
  readonly hostname: string
  readonly port: number
}

const maxChars = 8_192

/**
 * Reads a URL as a browser does, so that every spelling of an address becomes its usual one. Throws `NetworkError` for
 * what is no web address and for what makes a reader take it for another one.
 */
export function parseWebUrl(text: string): WebUrl {
  const written = text.trim()
  if (written.length > maxChars) throw new NetworkError('invalid', `The URL is longer than ${maxChars} characters`)
  if (/\p{Cc}/u.test(written) || /[\p{Cf}\p{Zl}\p{Zp}\p{Zs}\\]/u.test(authority(written))) {
    throw new NetworkError('invalid', 'The URL holds characters that hide what it means')
  }
  const url = URL.parse(written)
  if (!url) throw new NetworkError('invalid', 'That is no URL: write https://host/path')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new NetworkError('scheme', `Only http:// and https:// are fetched, not ${url.protocol}`)
  }
  if (authority(written) === '') throw new NetworkError('invalid', 'The URL is not written as https://host/path')
  if (url.username !== '' || url.password !== '' || authority(written).includes('@')) {
    throw new NetworkError('credentials', `The URL for ${url.hostname} carries a name or password before its host`)
  }
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (hostname === '' || hostname.endsWith('.')) throw new NetworkError('invalid', 'The URL has no host')
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { url, hostname, port }
}

/** What stands between `//` and the path, as written. */
function authority(written: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(written)?.[1] ?? ''
}
