import { PHEBY_PROTOCOL_VERSION } from '@hermes/protocol/pheby/constants.ts'
import type { PhebyAttachment, PhebyEvent, PhebyOf } from '@hermes/protocol/pheby/types.ts'
import type { Backoff } from '../connection/backoff.ts'
import { createConnection } from '../connection/connection.ts'
import { createEvents } from '../connection/events.ts'
import type { EventOf } from '../connection/events.ts'
import { errorOf, PhebyError } from './error.ts'
import { createOpenRequests } from './requests.ts'
import type { PhebyFields, PhebyReply, PhebyRequestType } from './requests.ts'

export { PhebyError } from './error.ts'
export type { PhebyAttachment, PhebyEvent, PhebyOf } from '@hermes/protocol/pheby/types.ts'
export type { PhebyFields, PhebyReply, PhebyRequestType } from './requests.ts'

type Ready = PhebyOf<PhebyEvent, 'ready'>

/** Events of the server by their type, and the connection's own. */
export type PhebyEvents = { readonly [Type in PhebyEvent['type']]: PhebyOf<PhebyEvent, Type> } & {
  /** The server has let us in; conversations that are watched are opened again by themselves. */
  readonly connected: Ready
  /** The connection is lost. It comes back by itself unless there is an error. */
  readonly disconnected: PhebyError | undefined
  /** A handler of an event has thrown; the others were called all the same. */
  readonly handlerFailed: { readonly error: unknown; readonly event: string }
}

export interface PhebyClientOptions {
  /** For opening the socket, and for an answer, ms. Default 15,000 and 30,000. */
  readonly openTimeoutMs?: number
  readonly requestTimeoutMs?: number
  /** Waits between tries to come back; false: a lost connection stays lost. */
  readonly reconnect?: Backoff | false
  /** Another constructor than the global one. */
  readonly webSocket?: typeof WebSocket
  /** How often the server is asked for a sign of life, ms. Default 30,000. One that gives none is left for a new connection. */
  readonly keepAliveMs?: number
}

/** Trying again with the same secret and version comes to the same. */
const fatal: ReadonlySet<string> = new Set(['unauthorized', 'version_mismatch'])

/**
 * A client of the Pheby protocol. Requests resolve to their answers; events come by `on` or by iteration. After a lost
 * connection it comes back by itself, and for each watched conversation a `conversation.history` comes before the events
 * that follow: replace what is shown by it.
 */
export class PhebyClient implements AsyncDisposable {
  readonly url: string
  readonly #secret: string
  readonly #events = createEvents<PhebyEvents>((error, event) => {
    // Whoever fails to take a failure is not told of that by another one.
    if (event !== 'handlerFailed') this.#events.emit('handlerFailed', { error, event })
  })
  readonly #watched = new Map<string, number | undefined>()
  readonly #requests
  readonly #connection

  /** `url`: `ws://host:8620/ws`. `secret`: the owner's PHEBY_SECRET. Throws `TypeError` where it is empty. */
  constructor(url: string, secret: string, options: PhebyClientOptions = {}) {
    if (secret === '') throw new TypeError('The secret is missing: the PHEBY_SECRET of the agent’s owner.')
    const { openTimeoutMs = 15_000, requestTimeoutMs = 30_000, reconnect = {}, keepAliveMs = 30_000 } = options
    this.url = url
    this.#secret = secret
    this.#requests = createOpenRequests(requestTimeoutMs)
    this.#connection = createConnection<Ready>({
      url,
      reconnect,
      openTimeoutMs,
      welcomeTimeoutMs: requestTimeoutMs,
      webSocket: options.webSocket ?? WebSocket,
      keepAlive: () => JSON.stringify({ type: 'ping' }),
      keepAliveMs,
      handshake: {
        hello: () => JSON.stringify({ type: 'hello', secret, protocol_version: PHEBY_PROTOCOL_VERSION }),
        welcome: readyOf,
        denied: (reason) => new PhebyError('unauthorized', reason || 'The server denies access.'),
        isFatal: (error) => error instanceof PhebyError && fatal.has(error.code),
      },
      onFrame: (frame) => this.#take(frame),
      // Whoever waits for it hears by a time-out that it did not come.
      onBroken: () => {},
      onOpen: (ready) => this.#open(ready),
      onClose: (_comesBack, error) => {
        this.#requests.fail(new PhebyError('disconnected', 'The connection was lost before the answer.'))
        this.#events.emit('disconnected', error instanceof PhebyError ? error : undefined)
      },
    })
  }

  get isConnected(): boolean {
    return this.#connection.isOpen
  }

  /** Connects and says hello. Rejects with `PhebyError` where the server refuses. */
  connect(): Promise<Ready> {
    return this.#connection.open()
  }

  /** Ends the connection for good. */
  async close(): Promise<void> {
    await this.#connection.close()
    this.#requests.fail(new PhebyError('disconnected', 'The client was closed.'))
    this.#events.end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Calls `handler` for each such event. Returns what takes it away. */
  on<Name extends keyof PhebyEvents>(name: Name, handler: (event: PhebyEvents[Name]) => unknown): () => void {
    return this.#events.on(name, handler)
  }

  /** All events from now on, until `close`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<EventOf<PhebyEvents>> {
    return this.#events.stream()
  }

  /** Any request of the protocol. Rejects with `PhebyError`: the server's code, `disconnected` or `timeout`. */
  async request<Type extends PhebyRequestType>(type: Type, fields: PhebyFields<Type>): Promise<PhebyReply<Type>> {
    const event = await this.#requests.ask({ ...fields, type }, (text) => this.#connection.send(text))
    return event as PhebyReply<Type>
  }

  async listConversations(): Promise<PhebyReply<'conversation.list'>['conversations']> {
    return (await this.request('conversation.list', {})).conversations
  }

  createConversation(name?: string): Promise<PhebyReply<'conversation.create'>> {
    return this.request('conversation.create', name === undefined ? {} : { name })
  }

  /** What a conversation holds now: messages, attachments, what runs and what is asked. */
  openConversation(conversationId: string, limit?: number): Promise<PhebyReply<'conversation.open'>> {
    const bound = limit === undefined ? {} : { limit }
    return this.request('conversation.open', { conversation_id: conversationId, ...bound })
  }

  /** Opens it now and after every reconnect; each time a `conversation.history` comes. Resolves to the first. */
  async watchConversation(conversationId: string, limit?: number): Promise<PhebyReply<'conversation.open'>> {
    this.#watched.set(conversationId, limit)
    try {
      return await this.openConversation(conversationId, limit)
    } catch (error) {
      this.#forgetWhere(conversationId, error)
      throw error
    }
  }

  unwatchConversation(conversationId: string): void {
    this.#watched.delete(conversationId)
  }

  renameConversation(conversationId: string, name: string): Promise<PhebyReply<'conversation.rename'>> {
    return this.request('conversation.rename', { conversation_id: conversationId, name })
  }

  async deleteConversation(conversationId: string): Promise<PhebyReply<'conversation.delete'>> {
    this.#watched.delete(conversationId)
    return this.request('conversation.delete', { conversation_id: conversationId })
  }

  /** Resolves when the run has begun; its answer comes by events. Rejects with `run_active` while another one runs. */
  send(conversationId: string, text: string): Promise<PhebyReply<'chat.send'>> {
    return this.request('chat.send', { conversation_id: conversationId, text })
  }

  /** Resolves when the run has ended. */
  cancel(conversationId: string, runId: string): Promise<PhebyReply<'run.cancel'>> {
    return this.request('run.cancel', { conversation_id: conversationId, run_id: runId })
  }

  /** Decides about an action; `reason` goes to the agent with a denial. */
  respondApproval(
    approvalId: string,
    choice: PhebyFields<'approval.respond'>['choice'],
    reason?: string,
  ): Promise<PhebyReply<'approval.respond'>> {
    const why = reason === undefined ? {} : { reason }
    return this.request('approval.respond', { approval_id: approvalId, choice, ...why })
  }

  /** Answers a question with one of its choices or other words. */
  respondClarify(clarifyId: string, response: string): Promise<PhebyReply<'clarify.respond'>> {
    return this.request('clarify.respond', { clarify_id: clarifyId, response })
  }

  listModels(conversationId?: string): Promise<PhebyReply<'models.list'>> {
    return this.request('models.list', scopeOf(conversationId))
  }

  currentModel(conversationId?: string): Promise<PhebyReply<'models.current'>> {
    return this.request('models.current', scopeOf(conversationId))
  }

  /** For a conversation, or for all where none is named. */
  setModel(
    model: string,
    { provider, conversationId }: { readonly provider?: string; readonly conversationId?: string } = {},
  ): Promise<PhebyReply<'model.set'>> {
    const by = provider === undefined ? {} : { provider }
    return this.request('model.set', { model, ...by, ...scopeOf(conversationId) })
  }

  currentReasoning(conversationId?: string): Promise<PhebyReply<'reasoning.current'>> {
    return this.request('reasoning.current', scopeOf(conversationId))
  }

  /** For a conversation, or for all where none is named. */
  setReasoning(
    effort: PhebyFields<'reasoning.set'>['effort'],
    conversationId?: string,
  ): Promise<PhebyReply<'reasoning.set'>> {
    return this.request('reasoning.set', { effort, ...scopeOf(conversationId) })
  }

  ping(): Promise<PhebyReply<'ping'>> {
    return this.request('ping', {})
  }

  /** The bytes of an attachment. Rejects with `PhebyError` where it is not there any more. */
  async downloadAttachment(
    { download_path: path }: Pick<PhebyAttachment, 'download_path'>,
    signal?: AbortSignal,
  ): Promise<Blob> {
    const address = new URL(path, this.url.replace(/^ws/, 'http'))
    const headers = { authorization: `Bearer ${this.#secret}` }
    const response = await fetch(address, { headers, ...(signal && { signal }) })
    if (response.ok) return response.blob()
    const code = response.status === 401 ? 'unauthorized' : response.status === 404 ? 'not_found' : 'internal_error'
    throw new PhebyError(code, `The attachment cannot be fetched (${response.status}).`)
  }

  #open(ready: Ready): void {
    this.#events.emit('connected', ready)
    for (const [id, limit] of this.#watched) {
      // Another failure comes again with the next connection.
      this.openConversation(id, limit).catch((error: unknown) => this.#forgetWhere(id, error))
    }
  }

  /** One that is gone is not watched any more. */
  #forgetWhere(conversationId: string, error: unknown): void {
    if (error instanceof PhebyError && error.code === 'conversation_not_found') this.#watched.delete(conversationId)
  }

  #take(frame: object): void {
    // The server's word; types that are not known reach nobody.
    const event = frame as PhebyEvent
    if (typeof event.type !== 'string') return
    this.#events.emit(event.type, event)
    this.#requests.note(event)
  }
}

function scopeOf(conversationId: string | undefined): { readonly conversation_id?: string } {
  return conversationId === undefined ? {} : { conversation_id: conversationId }
}

function readyOf(frame: unknown): Ready {
  const first = frame as Ready | Partial<PhebyOf<PhebyEvent, 'error'>> | null
  if (first?.type === 'error') throw errorOf(first)
  if (first?.type !== 'ready') throw new PhebyError('bad_request', 'The first event of the server is not ready.')
  return first
}
