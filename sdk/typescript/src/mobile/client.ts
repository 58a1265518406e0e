import {
  AUDIO_FORMATS,
  CLARIFY_OTHER,
  CLOSE_POLICY_VIOLATION,
  INBOUND_MEDIA_KINDS,
  MAX_FRAME_BYTES,
  MEDIA_CHUNK_BYTES,
  MOBILE_PROTOCOL_VERSION,
} from '@hermes/protocol/mobile/constants.ts'
import type { MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import { platform } from '#platform'
import { pause } from '../connection/backoff.ts'
import type { Backoff } from '../connection/backoff.ts'
import { createConnection } from '../connection/connection.ts'
import { createEvents } from '../connection/events.ts'
import type { EventOf } from '../connection/events.ts'
import { createInbox } from '../connection/inbox.ts'
import { createAssembly } from './assembly.ts'
import { toBase64 } from './base64.ts'
import { endingOf, mimeOf, sourceOf } from './file-source.ts'
import { createOutbox } from './outbox.ts'
import { HermesProtocolError } from './protocol-error.ts'
import { messageOf, promptDoneOf, promptOf, readyOf } from './read-frame.ts'
import { createReplies } from './replies.ts'
import { safeName } from './safe-name.ts'
import { createSeen } from './seen.ts'
import type {
  AgentMessage,
  Device,
  InboundMediaKind,
  MediaMessage,
  MediaOptions,
  Payload,
  Prompt,
  PromptDone,
  Ready,
  User,
} from './types.ts'

export { HermesProtocolError } from './protocol-error.ts'
export { TimeoutError } from '../connection/inbox.ts'
export type * from './types.ts'
export { dataUrl } from './media-url.ts'
export { optionIds } from './option-ids.ts'
export {
  CLARIFY_OTHER,
  CLOSE_POLICY_VIOLATION,
  INBOUND_MEDIA_KINDS,
  MAX_FRAME_BYTES,
  MEDIA_CHUNK_BYTES,
  MOBILE_PROTOCOL_VERSION,
}

/** What the client tells, by name. */
export interface MobileEvents {
  readonly ready: Ready
  /** A piece of a reply, without those that were told before. */
  readonly message: AgentMessage
  readonly messageEdit: AgentMessage
  readonly typing: undefined
  readonly typingStop: undefined
  /** One of `ready.capabilities.avatar_states`. */
  readonly avatar: string
  readonly prompt: Prompt
  readonly promptDone: PromptDone
  /** A whole file. */
  readonly media: MediaMessage
  readonly error: HermesProtocolError
  /** The server has dealt with the message or file that was sent under this id: it does not go out again. */
  readonly confirmed: string
  /** The connection is lost; it comes back by itself unless `error` says that this is pointless. */
  readonly disconnected: undefined
}

export interface MobileClientOptions {
  readonly user?: User
  /** For opening the socket, and for the answer to `hello`, ms. Default 15,000 each. */
  readonly openTimeoutMs?: number
  readonly requestTimeoutMs?: number
  /** Waits between tries to come back; false: a lost connection stays lost. */
  readonly reconnect?: Backoff | false
  /** Tell the server by itself what was received, so that it does not send it again. Default true. */
  readonly acknowledge?: boolean
  /** Another constructor than the global one. */
  readonly webSocket?: typeof WebSocket
  /** How often the server is asked for a sign of life, ms. Default 30,000. One that gives none is left for a new connection. */
  readonly keepAliveMs?: number
}

/** A chunk in base64 with what stands around it must fit in a frame. */
const largestChunk = Math.floor((MAX_FRAME_BYTES - 64 * 1024) / 4) * 3

/** Errors after which the same frame may be taken: too many at once, or the server failed. */
const notTaken: ReadonlySet<string> = new Set(['rate_limited', 'internal'])

/** Longest that the end waits for what is still to go out, ms. */
const closeMs = 1_000

/** What waits to be taken by `wait…`: messages, bytes of files. */
const [maxWaiting, maxWaitingBytes] = [1_000, 128 * 1024 * 1024]

/**
 * A device that talks to the agent by the mobile protocol. It comes back by itself after a lost connection, and what it
 * sent before is sent again: the server knows it by its id. What the server sends again is told once.
 */
export class HermesMobileClient implements AsyncDisposable {
  readonly url: string
  readonly device: Device
  readonly #events = createEvents<MobileEvents>((error, name) => {
    // Whoever fails to take an error is not told of that by another one.
    if (name !== 'error') this.#report(error)
  })
  readonly #replies = createReplies()
  readonly #prompts = createInbox<Prompt>(maxWaiting)
  readonly #avatars = createInbox<string>(maxWaiting)
  readonly #media = createInbox<MediaMessage>(maxWaitingBytes, ({ data }) => data.length + 1_024)
  readonly #assembly = createAssembly()
  readonly #seen = createSeen()
  readonly #acknowledges: boolean
  readonly #connection
  readonly #outbox
  #ready: Ready | undefined
  #isStarted = false

  /** `url`: `ws://host:8787/ws`. `token`: the owner's MOBILE_TOKEN. Throws `TypeError` where it is empty. */
  constructor(url: string, token: string, device?: Device, options: MobileClientOptions = {}) {
    if (token === '') throw new TypeError('The token is missing: the MOBILE_TOKEN of the agent’s owner.')
    const { user = {}, reconnect = {}, openTimeoutMs = 15_000, requestTimeoutMs = 15_000 } = options
    const { keepAliveMs = 30_000 } = options
    this.url = url
    this.device = device ?? { id: `ts-${crypto.randomUUID().slice(0, 8)}` }
    this.#acknowledges = options.acknowledge ?? true
    const { id, name = '', platform: system = 'typescript', appVersion = '1.0.0' } = this.device
    const hello = {
      t: 'hello',
      v: MOBILE_PROTOCOL_VERSION,
      token,
      device: { id, name, platform: system, app_version: appVersion },
      user,
    }
    this.#connection = createConnection<Ready>({
      url,
      reconnect,
      openTimeoutMs,
      welcomeTimeoutMs: requestTimeoutMs,
      webSocket: options.webSocket ?? WebSocket,
      keepAlive: () => JSON.stringify({ t: 'ping', ts: 0 }),
      keepAliveMs,
      handshake: {
        hello: () => JSON.stringify(hello),
        welcome: readyOf,
        denied: (reason) => new HermesProtocolError('auth_failed', reason || 'The server denies access.', true),
        isFatal: (error) => error instanceof HermesProtocolError && error.fatal,
      },
      // Frames are the server's word; what is unknown in them is left alone.
      onFrame: (frame) => this.#take(frame as MobileServerFrame),
      onBroken: (error) =>
        this.#report(new HermesProtocolError('bad_frame', `A frame of the server cannot be read: ${String(error)}`)),
      onOpen: (ready) => this.#open(ready),
      onClose: (comesBack, error) => {
        if (!comesBack) this.#isStarted = false
        this.#events.emit('disconnected', undefined)
        if (error) this.#report(error)
      },
    })
    const connection = this.#connection
    this.#outbox = createOutbox({
      send: (frame) => connection.send(JSON.stringify(frame)),
      get bufferedBytes() {
        return connection.bufferedBytes
      },
    })
  }

  /** Of the last time that the server has let us in. */
  get ready(): Ready | undefined {
    return this.#ready
  }

  get isConnected(): boolean {
    return this.#connection.isOpen
  }

  /** Connects and says hello. Rejects with `HermesProtocolError` where the server refuses. */
  async connect(): Promise<Ready> {
    this.#isStarted = true
    try {
      return await this.#connection.open()
    } catch (error) {
      this.#isStarted = false
      throw error
    }
  }

  /** Ends the connection for good. */
  async close(): Promise<void> {
    this.#isStarted = false
    // What was received last is confirmed yet.
    const waiting = new AbortController()
    await Promise.race([this.#outbox.settled(), pause(closeMs, waiting.signal)])
    waiting.abort()
    await this.#connection.close()
    this.#outbox.clear()
    this.#events.end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Calls `handler` for each such event. Returns what takes it away. */
  on<Name extends keyof MobileEvents>(name: Name, handler: (value: MobileEvents[Name]) => unknown): () => void {
    return this.#events.on(name, handler)
  }

  /** All events from now on, until `close`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<EventOf<MobileEvents>> {
    return this.#events.stream()
  }

  /** Resolves to its id when it is out, or waits for the connection. The same id again is not run again. */
  async sendText(text: string, messageId: string = newId()): Promise<string> {
    if (text.trim() === '') throw new TypeError('The text is empty.')
    await this.#sendLasting([{ t: 'text', id: messageId, text }], messageId)
    return messageId
  }

  /** A voice message; without a transcript the server makes one. */
  async sendAudio(
    audio: Payload,
    format: (typeof AUDIO_FORMATS)[number] = 'wav',
    { transcript, messageId = newId() }: { readonly transcript?: string; readonly messageId?: string } = {},
  ): Promise<string> {
    if (!AUDIO_FORMATS.includes(format)) throw new TypeError(`The format is one of ${AUDIO_FORMATS.join(', ')}.`)
    const source = await sourceOf(audio)
    if (source.size > largestChunk) throw new HermesProtocolError('too_big', 'Send a recording this long as media.')
    const data = toBase64(await source.read(0, source.size))
    const text = transcript === undefined ? {} : { text: transcript }
    await this.#sendLasting([{ t: 'audio', id: messageId, format, data, ...text }], messageId)
    return messageId
  }

  /** Tells that the person is typing. */
  sendTyping(): void {
    this.#sendNow({ t: 'typing' })
  }

  /** Asks for a sign of life. */
  ping(ts = 0): void {
    this.#sendNow({ t: 'ping', ts })
  }

  /** Tells that a message was shown; done by itself unless `acknowledge` is false. */
  async acknowledge(messageId: string): Promise<void> {
    await this.#sendLasting([{ t: 'ack', id: messageId }])
  }

  /** Answers a card with an option, a text, or both. The agent takes an unknown option for the safe one. */
  async answerPrompt(
    promptId: string,
    { optionId, text }: { readonly optionId?: string; readonly text?: string },
  ): Promise<void> {
    const option = optionId?.trim().toLowerCase() ?? ''
    if (promptId === '') throw new TypeError('The id of the card is missing.')
    if (option === '' && !text) throw new TypeError('An option or a text is missing.')
    const answer = { ...(option !== '' && { option_id: option }), ...(text && { text }) }
    await this.#sendLasting([{ t: 'prompt', prompt_id: promptId, ...answer }])
  }

  /** A file, in as many frames as it takes, read part by part. Resolves to the id that they share. */
  async sendMedia(kind: InboundMediaKind, payload: Payload, options: MediaOptions = {}): Promise<string> {
    const { chunkBytes = MEDIA_CHUNK_BYTES, messageId = newId(), caption } = options
    if (!INBOUND_MEDIA_KINDS.includes(kind))
      throw new TypeError(`The kind is one of ${INBOUND_MEDIA_KINDS.join(', ')}.`)
    if (!(chunkBytes > 0 && chunkBytes <= largestChunk)) throw new TypeError(`A part has 1 to ${largestChunk} bytes.`)
    const source = await sourceOf(payload)
    const filename = options.filename ?? source.filename
    const mime = options.mime ?? source.mime ?? mimeOf(filename)
    const parts = Math.ceil(source.size / chunkBytes)
    const common = {
      t: 'media',
      id: messageId,
      kind,
      mime,
      parts,
      ...(filename && { filename }),
      ...(caption && { caption }),
    }
    this.#mustBeStarted()
    await this.#outbox.add(async function* () {
      for (let part = 0; part < parts; part++) {
        const bytes = await source.read(part * chunkBytes, Math.min(source.size, (part + 1) * chunkBytes))
        yield { ...common, part, data: toBase64(bytes) }
      }
    }, this.#telling(messageId))
    return messageId
  }

  sendImage(payload: Payload, options?: MediaOptions): Promise<string> {
    return this.sendMedia('image', payload, options)
  }

  sendDocument(payload: Payload, options?: MediaOptions): Promise<string> {
    return this.sendMedia('document', payload, options)
  }

  sendVoice(payload: Payload, options?: MediaOptions): Promise<string> {
    return this.sendMedia('audio', payload, options)
  }

  /** Keeps a file in a folder (in Node) or as a download (in a browser). Resolves to where; nothing lands elsewhere. */
  saveMedia(message: MediaMessage, directory = '.'): Promise<string> {
    const other = `${message.id.replaceAll(/[^\w-]/g, '_').slice(0, 100)}${endingOf(message.mime)}`
    return platform.save(message.data, safeName(message.filename) ?? other, directory)
  }

  /** The pieces of one whole reply. Rejects with `TimeoutError`. */
  waitMessage(timeoutMs = 120_000): Promise<readonly string[]> {
    return this.#replies.take(timeoutMs)
  }

  waitPrompt(timeoutMs = 30_000): Promise<Prompt> {
    return this.#prompts.take(timeoutMs)
  }

  waitMedia(timeoutMs = 30_000): Promise<MediaMessage> {
    return this.#media.take(timeoutMs)
  }

  waitAvatar(timeoutMs = 30_000): Promise<string> {
    return this.#avatars.take(timeoutMs)
  }

  #open(ready: Ready): void {
    this.#ready = ready
    this.#assembly.clear()
    this.#outbox.restart()
    this.#events.emit('ready', ready)
  }

  #take(frame: MobileServerFrame): void {
    switch (frame.t) {
      case 'message':
        return this.#takeMessage(messageOf(frame))
      case 'media':
        return this.#takeMedia(frame)
      case 'prompt': {
        const prompt = promptOf(frame)
        this.#confirm(prompt.id)
        if (!this.#seen.add(`prompt ${prompt.id}`)) return undefined
        this.#prompts.add(prompt)
        return this.#events.emit('prompt', prompt)
      }
      case 'prompt_done':
        if (!this.#seen.add(`done ${frame.id}`)) return undefined
        return this.#events.emit('promptDone', promptDoneOf(frame))
      case 'avatar':
        if (typeof frame.state !== 'string') return undefined
        this.#avatars.add(frame.state)
        return this.#events.emit('avatar', frame.state)
      case 'typing':
        return this.#events.emit(frame.stop ? 'typingStop' : 'typing', undefined)
      case 'error':
        if (notTaken.has(frame.code)) this.#outbox.sendLater()
        return this.#events.emit('error', new HermesProtocolError(frame.code, frame.message, frame.fatal))
      case 'pong':
        return this.#outbox.confirm(frame.ts)
      default:
        return undefined
    }
  }

  #takeMessage(message: AgentMessage): void {
    const { id, index, total, final, edit } = message
    // Whoever has the last piece has those before it.
    if (edit ? final : index === total - 1) this.#confirm(id)
    if (edit) {
      this.#replies.edit(message)
      return this.#events.emit('messageEdit', message)
    }
    if (!this.#seen.add(`message ${id} ${index}`)) return undefined
    this.#replies.add(message)
    return this.#events.emit('message', message)
  }

  #takeMedia(frame: Extract<MobileServerFrame, { t: 'media' }>): void {
    if (this.#seen.has(`media ${frame.id}`)) return this.#confirm(frame.id)
    const message = this.#assembly.add(frame)
    if (!message) return undefined
    this.#seen.add(`media ${message.id}`)
    this.#media.add(message)
    this.#events.emit('media', message)
    return this.#confirm(message.id)
  }

  /** The server need not send it again. */
  #confirm(id: string): void {
    if (!this.#acknowledges) return
    this.#outbox.add(() => [{ t: 'ack', id }]).catch((error: unknown) => this.#report(error))
  }

  #report(error: unknown): void {
    const isOurs = error instanceof HermesProtocolError
    this.#events.emit('error', isOurs ? error : new HermesProtocolError('internal', String(error)))
  }

  #mustBeStarted(): void {
    if (!this.#isStarted) throw new Error('The connection is not open: call connect() first.')
  }

  async #sendLasting(frames: readonly object[], messageId?: string): Promise<void> {
    this.#mustBeStarted()
    await this.#outbox.add(() => frames, this.#telling(messageId))
  }

  #telling(messageId: string | undefined): () => void {
    return () => messageId !== undefined && this.#events.emit('confirmed', messageId)
  }

  /** Only of use at this moment: nobody waits for it where nothing is connected. */
  #sendNow(frame: object): void {
    this.#mustBeStarted()
    this.#connection.send(JSON.stringify(frame))
  }
}

function newId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
