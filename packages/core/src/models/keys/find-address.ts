import { createHash } from 'node:crypto'
import { abortable } from '../../credentials/oauth/abortable.ts'
import type { HttpClient } from '../net/http-client.ts'
import { readText } from '../net/read-text.ts'
import { TransportError } from '../net/transport-error.ts'
import type { ProviderAddress } from '../providers/provider.ts'

/** What was found out about a key. */
export interface FoundAddress {
  readonly address: ProviderAddress
  /** Names the key without telling it. */
  readonly keyHash: string
}

/** Where what was found out is kept from one run to the next. */
export interface KeptAddresses {
  /** The address that took a key, of a provider. */
  read(provider: string, keyHash: string): Promise<string | undefined>
  write(provider: string, found: FoundAddress): Promise<void>
}

export interface AddressFinder {
  /** The address that takes a key; undefined where none does just now. */
  find(secret: string, signal: AbortSignal): Promise<string | undefined>
  /** The address has refused the key: the next one who asks has it looked for anew. */
  forget(secret: string): void
}

export interface AddressFinderOptions {
  readonly provider: string
  readonly addresses: readonly ProviderAddress[]
  readonly http: HttpClient
  readonly kept: KeptAddresses
  readonly now?: () => number
}

const limits = { connectMs: 5000, silenceMs: 8000, progressMs: 8000, totalMs: 8000 }
const maxAnswerBytes = 65_536
/** How long it is believed that no address takes a key. */
const nowhereMs = 60_000
/** Keys that are remembered. */
const mostKeys = 16

interface Known {
  readonly baseUrl: string | undefined
  readonly untilMs: number
}

/** Tries the addresses one after the other with the smallest possible call, once for each key. */
export function createAddressFinder(options: AddressFinderOptions): AddressFinder {
  const { provider, addresses, http, kept, now = () => performance.now() } = options
  const known = new Map<string, Known>()
  const running = new Map<string, Promise<string | undefined>>()
  const refused = new Set<string>()

  const remember = (keyHash: string, baseUrl: string | undefined): void => {
    known.set(keyHash, { baseUrl, untilMs: baseUrl === undefined ? now() + nowhereMs : Infinity })
    const [oldest] = known.keys()
    if (known.size > mostKeys && oldest !== undefined) known.delete(oldest)
  }
  const look = async (secret: string, keyHash: string, signal: AbortSignal): Promise<string | undefined> => {
    const before = refused.has(keyHash) ? undefined : await kept.read(provider, keyHash)
    if (before !== undefined) {
      remember(keyHash, before)
      return before
    }
    for (const address of addresses) {
      if (!(await takes(address, secret, signal))) continue
      remember(keyHash, address.baseUrl)
      refused.delete(keyHash)
      await kept.write(provider, { address, keyHash })
      return address.baseUrl
    }
    remember(keyHash, undefined)
    return undefined
  }
  const takes = async ({ baseUrl, model }: ProviderAddress, secret: string, signal: AbortSignal): Promise<boolean> => {
    const messages = [{ role: 'user', content: 'ping' }]
    const body = JSON.stringify({ model, messages, max_tokens: 1, stream: false })
    const headers = {
      'user-agent': 'hermes-agent',
      'content-type': 'application/json',
      authorization: `Bearer ${secret}`,
    }
    try {
      const url = `${baseUrl}/chat/completions`
      const response = await http.send({ method: 'POST', url, headers, body, limits }, signal)
      try {
        await readText(response.body, maxAnswerBytes)
        return response.status === 200
      } finally {
        response.release()
      }
    } catch (error) {
      if (error instanceof TransportError) return false
      throw error
    }
  }

  return {
    find: async (secret, signal) => {
      signal.throwIfAborted()
      const keyHash = hashOf(secret)
      const found = known.get(keyHash)
      if (found && found.untilMs > now()) return found.baseUrl
      let looking = running.get(keyHash)
      if (!looking) {
        // No signal of a caller: others may wait for the same answer.
        const limit = AbortSignal.timeout(limits.totalMs * (addresses.length + 1))
        looking = look(secret, keyHash, limit).finally(() => running.delete(keyHash))
        running.set(keyHash, looking)
      }
      return abortable(looking, signal)
    },
    forget: (secret) => {
      const keyHash = hashOf(secret)
      if (known.get(keyHash)?.baseUrl === undefined) return
      known.delete(keyHash)
      refused.add(keyHash)
    },
  }
}

/** As `auth.json` names keys in `detected_endpoint`. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16)
}
