import type { OlmMachine } from '@matrix-org/matrix-sdk-crypto-wasm'
import { z } from 'zod'
import { apiPath } from '../client.ts'
import type { MatrixCall, MatrixClient } from '../client.ts'
import type { Device } from './device.ts'

/** A request that the machine wants sent. */
type MachineRequest =
  | Awaited<ReturnType<OlmMachine['outgoingRequests']>>[number]
  | Awaited<ReturnType<OlmMachine['shareRoomKey']>>[number]
  | NonNullable<Awaited<ReturnType<OlmMachine['getMissingSessions']>>>

const anything = z.looseObject({})

/** Sends what the machine wants sent: keys of ours, questions for keys of others, keys for others. */
export interface KeyRequests {
  /** Sends all that is waiting, and again what follows from the answers. */
  sendAll(signal: AbortSignal): Promise<void>
  send(request: MachineRequest, signal: AbortSignal): Promise<void>
}

/** Rounds of requests that may follow from each other. */
const maxRounds = 8

export function createKeyRequests(device: Device, client: MatrixClient): KeyRequests {
  const { RequestType } = device.library
  const [upload, query, claim] = ['/client/v3/keys/upload', '/client/v3/keys/query', '/client/v3/keys/claim']

  function callOf(request: MachineRequest): MatrixCall | undefined {
    const body: unknown = JSON.parse(request.body)
    if (request.type === RequestType.KeysUpload) return { method: 'POST', path: upload, body }
    if (request.type === RequestType.KeysQuery) return { method: 'POST', path: query, body }
    if (request.type === RequestType.KeysClaim) return { method: 'POST', path: claim, body, timeoutMs: 60_000 }
    if (request.type === RequestType.SignatureUpload) {
      return { method: 'POST', path: '/client/v3/keys/signatures/upload', body }
    }
    if ('event_type' in request && 'txn_id' in request && request.type === RequestType.ToDevice) {
      return { method: 'PUT', path: apiPath`/client/v3/sendToDevice/${request.event_type}/${request.txn_id}`, body }
    }
    return undefined
  }
  async function send(request: MachineRequest, signal: AbortSignal): Promise<void> {
    const call = callOf(request)
    const answer = call ? await client.call(anything, call, signal) : {}
    const { id } = request
    if (id !== undefined) {
      await device.work((machine) => machine.markRequestAsSent(id, request.type, JSON.stringify(answer)))
    }
  }
  return {
    send,
    async sendAll(signal) {
      for (let round = 0; round < maxRounds; round++) {
        const waiting = await device.work((machine) => machine.outgoingRequests())
        // Devices with which a session broke get a new one.
        const claim_ = await device.work((machine) => machine.getMissingSessions([]))
        const all: readonly MachineRequest[] = claim_ ? [...waiting, claim_] : waiting
        if (all.length === 0) return
        for (const request of all) await send(request, signal)
      }
    },
  }
}
