import { MemoryProviderError } from '../../memory-provider-error.ts'
import { servicePath } from '../service-client.ts'
import type { RetainDbSettings } from './settings.ts'

/** Most bytes of a file that are fetched. */
const maxBytes = 256 * 1024

const timeoutMs = 30_000

const hint = 'Try again later, or check RETAINDB_API_KEY in .env.'

/**
 * The beginning of a stored file as text. RetainDB may answer from where the bytes lie: that place is asked without the
 * key. Throws `MemoryProviderError`, or the reason of `signal`.
 */
export async function fileText(
  { baseUrl, apiKey }: RetainDbSettings,
  fileId: string,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  signal.throwIfAborted()
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const url = `${baseUrl.replace(/\/+$/, '')}${servicePath`/v1/files/${fileId}/content`}`
    const first = await fetch(url, {
      headers: { authorization: `Bearer ${apiKey}` },
      redirect: 'manual',
      signal: limited,
    })
    const response = isRedirect(first)
      ? await fetch(elsewhere(first, url), { signal: limited, redirect: 'error' })
      : first
    if (!response.ok) throw refused(response.status)
    return await beginning(response)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof MemoryProviderError) throw error
    throw new MemoryProviderError('unreachable', `RetainDB did not give the file. ${hint}`, { cause: error })
  }
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400
}

/** Where an answer leads: over an encrypted connection, or to the same machine that was asked. */
function elsewhere(response: Response, asked: string): string {
  const target = URL.parse(response.headers.get('location') ?? '', asked)
  if (target && (target.protocol === 'https:' || target.origin === new URL(asked).origin)) return target.href
  throw new MemoryProviderError('refused', 'RetainDB keeps the file at a place that is not safe to fetch from.')
}

function refused(status: number): MemoryProviderError {
  const code = status >= 500 ? 'unreachable' : 'refused'
  return new MemoryProviderError(code, `RetainDB did not give the file (HTTP ${status}). ${hint}`, { status })
}

async function beginning(response: Response): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    pieces.push(piece)
    bytes += piece.byteLength
    if (bytes > maxBytes) break
  }
  const whole = Buffer.concat(pieces).subarray(0, maxBytes)
  return { text: whole.toString('utf8'), isWhole: bytes <= maxBytes }
}
