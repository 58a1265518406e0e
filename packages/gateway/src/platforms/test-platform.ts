import { z } from 'zod'
import type { InboundMessage } from '../messages/inbound-message.ts'
import type { Button, OutboundPart, SentRef } from '../messages/outbound-message.ts'
import { PlatformError } from './platform-error.ts'
import type { Connection, Platform, PlatformHost, ProgressMark } from './platform.ts'
import type { TurnFace } from './turn-face.ts'

/** What tests know of a message that the platform was given. */
export interface SentMessage {
  readonly chatId: string
  readonly text: string
  readonly part: OutboundPart
  readonly key: string
  readonly replyTo?: string
  readonly answers?: string
  readonly isNotice?: boolean
}

/** What of a message is other than usual. */
export type MessageChange = Partial<Omit<InboundMessage, 'source'>> & {
  readonly source?: Partial<InboundMessage['source']>
}

/** A platform in memory for tests of the gateway: people's messages go in, what is sent comes out. */
export interface TestPlatform extends Platform<null> {
  readonly sent: readonly SentMessage[]
  /** Texts that messages were edited to, in order. */
  readonly edits: readonly { readonly messageId: string; readonly text: string }[]
  /** The buttons of the message that was shown or changed last. */
  readonly buttons: readonly Button[]
  /** Reactions that were shown or, undefined, taken away, in order. */
  readonly marks: readonly (ProgressMark | undefined)[]
  /** Times that typing was shown. */
  readonly typed: number
  /** A person writes. Resolves when the gateway has taken it over. */
  write(text: string, more?: MessageChange): Promise<void>
  /** Presses a button of the last message that has some. */
  press(label: string, userId?: string): Promise<string>
  /** Resolves when a message says this. */
  waitForText(pattern: RegExp): Promise<void>
  /** Resolves when so many reactions were shown or taken away. */
  waitForMarks(count: number): Promise<readonly (ProgressMark | undefined)[]>
  /** Resolves when so many messages were sent. */
  waitForSent(count: number): Promise<readonly SentMessage[]>
  /** Makes the next sends fail, one each. */
  failNext(...errors: readonly PlatformError[]): void
  /** What is sent while it is set is under way until then. */
  hold: Promise<void> | undefined
  /** Resolves when so many are under way at once. */
  waitForHeld(count: number): Promise<void>
  /** Ends the connection as if the network broke. */
  drop(): void
  /** Makes tries to connect fail while it is set. */
  refuse: PlatformError | undefined
}

export interface TestPlatformOptions {
  /** Whether it can do that. */
  readonly buttons?: boolean
  readonly editing?: boolean
  /** Buttons of its messages can be changed. */
  readonly menus?: boolean
  readonly reactions?: boolean
  /** What people write in place of the slash. */
  readonly commandStart?: string
  readonly name?: string
  /** What shows the parts of turns. */
  readonly face?: TurnFace
}

export function createTestPlatform({
  buttons = false,
  editing = false,
  menus = false,
  reactions = false,
  commandStart,
  name = 'test',
  face,
}: TestPlatformOptions = {}): TestPlatform {
  const sent: SentMessage[] = []
  const edits: { messageId: string; text: string }[] = []
  const marks: (ProgressMark | undefined)[] = []
  let shownButtons: readonly Button[] = []
  const failures: PlatformError[] = []
  const watchers = new Set<() => void>()
  let typed = 0
  let held = 0
  let count = 0
  let host: PlatformHost | undefined
  let drop = () => {}

  async function waitFor(isThere: () => boolean): Promise<void> {
    const timeout = AbortSignal.timeout(30_000)
    while (!isThere()) {
      await new Promise<void>((resolve, reject) => {
        const late = () => reject(new Error(`only this came: ${JSON.stringify({ sent, edits })}`))
        const seen = () => {
          watchers.delete(seen)
          timeout.removeEventListener('abort', late)
          resolve()
        }
        watchers.add(seen)
        timeout.addEventListener('abort', late, { once: true })
      })
    }
  }

  const platform: TestPlatform = {
    name,
    label: 'Test',
    variablePrefix: name.toUpperCase(),
    promptHint: 'Write for tests.',
    ...(commandStart !== undefined && { commandStart }),
    limits: { maxLength: 1_000 },
    sent,
    edits,
    marks,
    get buttons() {
      return shownButtons
    },
    refuse: undefined,
    hold: undefined,
    get typed() {
      return typed
    },
    read: () => ({ state: 'ready', settings: z.null().parse(null) }),
    async connect(_settings, given, signal) {
      signal.throwIfAborted()
      if (platform.refuse) throw platform.refuse
      host = given
      const closed = Promise.withResolvers<unknown>()
      drop = () => closed.resolve(new Error('the network broke'))
      const show = (messageId: string, text: string, those: readonly Button[]) => {
        edits.push({ messageId, text })
        shownButtons = those
        for (const watcher of watchers) watcher()
      }
      const connection: Connection = {
        account: 'bot',
        rates: { perSecond: 1_000, perChatSecond: 1_000 },
        closed: closed.promise,
        typing: { lastsMs: 5_000, show: async () => void typed++ },
        ...(editing && {
          editing: {
            async edit({ messageId }: SentRef, text: string) {
              if (text.length > platform.limits.maxLength) throw new PlatformError('too-long', 'It is too long.')
              edits.push({ messageId, text })
              for (const watcher of watchers) watcher()
            },
          },
        }),
        ...(reactions && {
          reactions: {
            async react(_chat, _messageId, mark) {
              marks.push(mark)
              for (const watcher of watchers) watcher()
            },
          },
        }),
        ...(face && { face }),
        ...(buttons && {
          buttons: {
            maxDataBytes: 64,
            close: async ({ messageId }: SentRef, text: string) => show(messageId, text, []),
            ...(menus && {
              change: async ({ messageId }: SentRef, text: string, those: readonly Button[]) =>
                show(messageId, text, those),
            }),
          },
        }),
        async send(chat, part, { key, replyTo, ...how }) {
          const failure = failures.shift()
          if (failure) throw failure
          if (platform.hold) {
            held++
            for (const watcher of watchers) watcher()
            await platform.hold.finally(() => held--)
          }
          const text = part.type === 'text' ? part.text : (part.caption ?? '')
          if (part.type === 'text' && part.buttons) shownButtons = part.buttons
          sent.push({ chatId: chat.chatId, text, part, key, ...(replyTo !== undefined && { replyTo }), ...how })
          for (const watcher of watchers) watcher()
          return { chat, messageId: String(sent.length) }
        },
        [Symbol.asyncDispose]: async () => {},
      }
      return connection
    },
    async write(text, { source, ...more } = {}) {
      if (!host) throw new Error('not connected')
      const eventId = String(++count)
      const from = {
        platform: name,
        account: 'bot',
        chatId: '7',
        chatType: 'dm',
        userId: '7',
        userName: 'Ann',
      } as const
      await host.receive({
        eventId,
        messageId: `m${eventId}`,
        source: { ...from, ...source },
        text,
        attachments: [],
        sentAt: Date.now(),
        ...more,
      })
    },
    async press(label, userId = '7') {
      const last = sent.findLast(({ part }) => part.type === 'text' && part.buttons !== undefined)
      // An app that has not heard of a change still shows those from before.
      const before = last?.part.type === 'text' ? (last.part.buttons ?? []) : []
      const button = [...shownButtons, ...before].find((one) => one.label === label)
      if (!host || !last || !button) throw new Error(`no button ${label}`)
      return host.press({ chat: { platform: name, chatId: last.chatId, chatType: 'dm' }, userId, data: button.data })
    },
    async waitForText(pattern) {
      await waitFor(() => [...sent, ...edits].some(({ text }) => pattern.test(text)))
    },
    async waitForMarks(wanted) {
      await waitFor(() => marks.length >= wanted)
      return marks
    },
    async waitForSent(wanted) {
      await waitFor(() => sent.length >= wanted)
      return sent
    },
    waitForHeld: (wanted) => waitFor(() => held >= wanted),
    failNext: (...errors) => void failures.push(...errors),
    drop: () => drop(),
  }
  return platform
}
