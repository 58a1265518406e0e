import type { PhebyEvent, PhebyOf, PhebyRequestInput } from '@hermes/protocol/pheby/types.ts'
import { errorOf, PhebyError } from './error.ts'

/** What each request is answered with. `run.cancel` is answered by the end of its run. */
export interface PhebyReplies {
  readonly ping: 'pong'
  readonly 'conversation.list': 'conversation.snapshot'
  readonly 'conversation.create': 'conversation.created'
  readonly 'conversation.open': 'conversation.history'
  readonly 'conversation.rename': 'conversation.renamed'
  readonly 'conversation.delete': 'conversation.deleted'
  readonly 'chat.send': 'run.accepted'
  readonly 'run.cancel': 'run.finished'
  readonly 'approval.respond': 'approval.resolved'
  readonly 'clarify.respond': 'clarify.resolved'
  readonly 'models.list': 'models.snapshot'
  readonly 'models.current': 'model.current'
  readonly 'model.set': 'model.changed'
  readonly 'reasoning.current': 'reasoning.snapshot'
  readonly 'reasoning.set': 'reasoning.changed'
}

export type PhebyRequestType = keyof PhebyReplies
export type PhebyReply<Type extends PhebyRequestType> = PhebyOf<PhebyEvent, PhebyReplies[Type]>
/** Fields of a request beside its type and id. */
export type PhebyFields<Type extends PhebyRequestType> = Omit<PhebyOf<PhebyRequestInput, Type>, 'type' | 'request_id'>

interface Open {
  readonly runId: string | undefined
  readonly resolve: (event: PhebyEvent) => void
  readonly reject: (error: PhebyError) => void
}

/** Requests that wait for their answers. */
export interface OpenRequests {
  /** `send` puts the frame out; false where nothing is connected. Rejects with `PhebyError`. */
  ask(frame: { readonly type: string; readonly run_id?: string }, send: (text: string) => boolean): Promise<PhebyEvent>
  /** Looks whether an event answers one of them. */
  note(event: PhebyEvent): void
  /** None of them is answered any more. */
  fail(error: PhebyError): void
}

/** `timeoutMs`: longest wait for an answer. */
export function createOpenRequests(timeoutMs: number): OpenRequests {
  const open = new Map<string, Open>()
  // Answers are told to all clients, so that no other one may use the same ids.
  const own = crypto.randomUUID().slice(0, 8)
  let count = 0
  return {
    ask({ run_id: runId, ...rest }, send) {
      const id = `${own}-${++count}`
      const frame = { ...rest, ...(runId !== undefined && { run_id: runId }), request_id: id }
      return new Promise<PhebyEvent>((resolve, reject) => {
        const timer = setTimeout(() => {
          open.delete(id)
          reject(new PhebyError('timeout', `The server did not answer ${rest.type} within ${timeoutMs} ms.`))
        }, timeoutMs)
        const end = () => {
          clearTimeout(timer)
          open.delete(id)
        }
        open.set(id, {
          runId: rest.type === 'run.cancel' ? runId : undefined,
          resolve: (event) => (end(), resolve(event)),
          reject: (error) => (end(), reject(error)),
        })
        if (!send(JSON.stringify(frame))) {
          open.get(id)?.reject(new PhebyError('disconnected', 'The connection is not open.'))
        }
      })
    },
    note(event) {
      const id = 'request_id' in event ? event.request_id : undefined
      const asked = id === undefined ? undefined : open.get(id)
      if (event.type === 'error') asked?.reject(errorOf(event))
      else asked?.resolve(event)
      if (event.type !== 'run.finished') return
      const { run_id: ended } = event
      for (const one of open.values()) if (one.runId !== undefined && one.runId === ended) one.resolve(event)
    },
    fail(error) {
      for (const one of open.values()) one.reject(error)
    },
  }
}
