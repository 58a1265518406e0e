import type { InboundMessage } from '../messages/inbound-message.ts'

/** Key of texts that belong together. */
const textKey = 'text'

/** Waits for what may still come of a text, ms. */
export interface TextWaits {
  /** After one that is so long that an app may have cut it. */
  readonly textBatchMs: number
  /** After any other one; 0: it is taken at once. */
  readonly quietMs: number
}

/** Whether a text waits for more. `cutLength`: from this length on an app may have cut it, UTF-16 units. */
export function joinOfText(text: string, cutLength: number, { textBatchMs, quietMs }: TextWaits): Incoming['join'] {
  const waitMs = text.length >= cutLength ? textBatchMs : quietMs
  return { key: textKey, waitMs, isLast: waitMs === 0 }
}

/** A message on its way in. */
export interface Incoming {
  readonly message: InboundMessage
  /** It belongs with others of this key. */
  readonly join?: { readonly key: string; readonly waitMs: number; readonly isLast: boolean }
}

/** Joins what apps send in pieces: albums, bursts of pictures, long texts; keeps the order of each person in each chat. */
export interface Batches {
  /**
   * Takes a message whose files may still come. `lane`: the person and place. Resolves when the message, or the one that
   * it has become part of, is stored; rejects where it is not. Undefined: it turned out to be none.
   */
  add(lane: string, incoming: Promise<Incoming | undefined>): Promise<void>
  /** Takes one past those that wait: a command. */
  addNow(lane: string, message: InboundMessage): Promise<void>
  /** Gives up what still waits, without storing it: the service will give it again. */
  close(): void
}

interface OpenBatch {
  readonly key: string
  parts: readonly InboundMessage[]
  timer: NodeJS.Timeout | undefined
  readonly done: PromiseWithResolvers<void>
}

interface Lane {
  /** Ends when all that came before is placed. */
  placed: Promise<unknown>
  /** Ends when all that was placed is stored, or not. */
  stored: Promise<unknown>
  open: OpenBatch | undefined
  waiting: number
}

/** `receive` stores a message; `maxLength`: where apps cut texts, UTF-16 units. */
export function createBatches(
  receive: (message: InboundMessage) => Promise<void>,
  { maxLength }: { readonly maxLength: number },
): Batches {
  const lanes = new Map<string, Lane>()

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? {
      placed: Promise.resolve(),
      stored: Promise.resolve(),
      open: undefined,
      waiting: 0,
    }
    lanes.set(name, lane)
    return lane
  }
  /** Messages are stored one after the other. */
  const store = (lane: Lane, message: InboundMessage): Promise<void> => {
    const stored = lane.stored.then(() => receive(message))
    lane.stored = stored.catch(() => undefined)
    return stored
  }
  const flush = (lane: Lane): void => {
    const { open } = lane
    if (!open) return
    lane.open = undefined
    clearTimeout(open.timer)
    store(lane, joined(open, maxLength)).then(open.done.resolve, open.done.reject)
  }
  /** Files that are still fetched may belong to it: texts are not held up by them. */
  const timerOf = (lane: Lane, open: OpenBatch, waitMs: number): NodeJS.Timeout => {
    const timer = setTimeout(() => {
      const isDue = () => lane.open === open && open.timer === timer
      if (open.key === textKey) flush(lane)
      else void lane.placed.then(() => isDue() && flush(lane))
    }, waitMs)
    return timer
  }
  const place = (lane: Lane, { message, join }: Incoming): { readonly stored: Promise<void> } => {
    if (lane.open && lane.open.key !== join?.key) flush(lane)
    if (!join || (!lane.open && join.isLast)) return { stored: store(lane, message) }
    const open = (lane.open ??= { key: join.key, parts: [], timer: undefined, done: Promise.withResolvers() })
    open.parts = [...open.parts, message]
    clearTimeout(open.timer)
    if (join.isLast) flush(lane)
    else open.timer = timerOf(lane, open, join.waitMs)
    return { stored: open.done.promise }
  }
  async function within<T>(name: string, run: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = laneOf(name)
    lane.waiting++
    try {
      return await run(lane)
    } finally {
      if (--lane.waiting === 0 && lanes.get(name) === lane) lanes.delete(name)
    }
  }

  return {
    add: (name, incoming) =>
      within(name, async (lane) => {
        // It may fail before its turn has come: that is met then.
        incoming.catch(() => undefined)
        const placing = lane.placed.then(async () => {
          const found = await incoming
          return found && place(lane, found)
        })
        lane.placed = placing.catch(() => undefined)
        await (
          await placing
        )?.stored
      }),
    addNow: (name, message) =>
      within(name, async (lane) => {
        flush(lane)
        await store(lane, message)
      }),
    close() {
      for (const lane of lanes.values()) {
        clearTimeout(lane.open?.timer)
        lane.open?.done.reject(new DOMException('The connection ends.', 'AbortError'))
        lane.open = undefined
      }
      lanes.clear()
    },
  }
}

/** Pictures come together with what was written on any of them; a text that was cut is made whole. */
function joined({ parts, key }: OpenBatch, maxLength: number): InboundMessage {
  const [first, ...rest] = parts
  if (!first) throw new Error('a batch without messages')
  if (rest.length === 0) return first
  const texts = parts.map(({ text }) => text).filter((text) => text !== '')
  return {
    ...first,
    // Other parts make another event: rather answered again than lost.
    eventId: `${first.eventId}-${rest.map(({ eventId }) => eventId).join('-')}`,
    text: key === textKey ? whole(texts, maxLength) : [...new Set(texts)].join('\n\n'),
    attachments: parts.flatMap(({ attachments }) => attachments),
  }
}

/** A part of full length was cut anywhere; a shorter one at the end of a line, which the service has taken away. */
function whole(texts: readonly string[], maxLength: number): string {
  return texts.reduce((before, text, at) => {
    const isFull = (texts[at - 1]?.length ?? 0) >= maxLength
    return before + (isFull ? '' : '\n') + text
  })
}
