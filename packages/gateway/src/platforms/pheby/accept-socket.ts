import { CLOSE_POLICY_VIOLATION } from '@hermes/protocol/mobile/constants.ts'
import { PHEBY_PROTOCOL_VERSION } from '@hermes/protocol/pheby/constants.ts'
import { parsePhebyRequest } from '@hermes/protocol/pheby/parse.ts'
import type { PhebyErrorCode } from '@hermes/protocol/pheby/error-codes.ts'
import type { RawData, WebSocket } from 'ws'
import type { LockOut } from '../../http/lock-out.ts'
import { isSameSecret } from '../../http/same-secret.ts'
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import type { Pheby } from './pheby.ts'
import { handle } from './requests/handle.ts'
import { answerTo } from './requests/request.ts'
import type { PhebySettings } from './settings.ts'
import { timestamp } from './timestamp.ts'

export interface Reception {
  readonly pheby: Pheby
  readonly settings: PhebySettings
  readonly lockOut: LockOut
}

export interface Caller {
  readonly address: string
  /** It has signed in. */
  readonly admit: () => void
}

/** Speaks with one connection: nothing is done for it before it has signed in, and one try is all that it has. */
export function acceptSocket(
  socket: WebSocket,
  { address, admit }: Caller,
  { pheby, settings, lockOut }: Reception,
): void {
  const now = () => pheby.host.clock.now()
  const client = createClient({ socket, requestsPerMinute: settings.requestsPerMinute, now })
  let state: 'new' | 'signed-in' | 'refused' = 'new'

  const sendAway = (code: PhebyErrorCode, message: string, requestId?: string) => {
    state = 'refused'
    client.refuse(code, message, requestId)
    socket.close(CLOSE_POLICY_VIOLATION, code)
  }
  const timer = setTimeout(() => sendAway('auth_timeout', 'No hello came in time'), settings.helloTimeoutMs)

  const greet = (data: Buffer) => {
    clearTimeout(timer)
    const hello = readHello(data)
    if (lockOut.isLocked(address) || !hello || !isSameSecret(hello.secret, settings.secret)) {
      lockOut.failed(address)
      return sendAway('unauthorized', 'The secret is wrong, or the first frame was no hello', hello?.requestId)
    }
    if (hello.version !== PHEBY_PROTOCOL_VERSION) {
      const message = `This server speaks version ${PHEBY_PROTOCOL_VERSION} of the protocol`
      return sendAway('version_mismatch', message, hello.requestId)
    }
    state = 'signed-in'
    admit()
    client.send({
      type: 'ready',
      protocol_version: PHEBY_PROTOCOL_VERSION,
      server: 'pheby',
      ...answerTo({ request_id: hello.requestId }),
      ts: timestamp(now()),
    })
    pheby.clients.add(client)
  }

  socket.on('message', (raw) => {
    const data = bytesOf(raw)
    if (state === 'new') greet(data)
    else if (state === 'signed-in') void takeRequest(data, client, pheby)
  })
  socket.on('close', () => {
    clearTimeout(timer)
    pheby.clients.remove(client)
  })
}

async function takeRequest(data: Buffer, client: Client, pheby: Pheby): Promise<void> {
  const parsed = parsePhebyRequest(data)
  const requestId = parsed.ok ? parsed.request.request_id : parsed.problem.requestId
  await client.take(requestId, async () => {
    if (parsed.ok) return handle(parsed.request, { client, pheby })
    client.refuse(parsed.problem.code, parsed.problem.message, requestId)
  })
}

/** What a first frame says; undefined where it is no hello. */
function readHello(data: Buffer) {
  let value: unknown
  try {
    value = JSON.parse(data.toString('utf8'))
  } catch {
    // Whatever it is, it is no hello.
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { type, secret, protocol_version: version, request_id: requestId } = value as Readonly<Record<string, unknown>>
  if (type !== 'hello' || typeof secret !== 'string') return undefined
  return { secret, version, requestId: typeof requestId === 'string' ? requestId : undefined }
}

function bytesOf(raw: RawData): Buffer {
  if (Array.isArray(raw)) return Buffer.concat(raw)
  return raw instanceof ArrayBuffer ? Buffer.from(raw) : raw
}
