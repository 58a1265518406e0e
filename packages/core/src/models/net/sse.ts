/** One event of a server-sent event stream, https://html.spec.whatwg.org/multipage/server-sent-events.html. */
export interface SseEvent {
  /** The event's type; `message` when it names none. */
  readonly event: string
  readonly data: string
}

export interface SseParser {
  /** Takes the next bytes, cut anywhere, and returns the events that they complete. */
  feed(bytes: Uint8Array): readonly SseEvent[]
  /** What was left when the stream ended: some servers forget the last blank line. */
  end(): readonly SseEvent[]
}

/** The stream holds one event that is larger than anything sensible. */
export class SseOverflowError extends Error {
  override readonly name = 'SseOverflowError'
}

/** Longest event, characters. */
const maxEventChars = 32 * 1024 * 1024

export function createSseParser(): SseParser {
  const decoder = new TextDecoder()
  let rest = ''
  let event = ''
  let data: string | undefined
  let afterReturn = false

  const line = (text: string, events: SseEvent[]): void => {
    if (text === '') {
      if (data !== undefined) events.push({ event: event || 'message', data })
      event = ''
      data = undefined
      return
    }
    const colon = text.indexOf(':')
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') data = data === undefined ? value : `${data}\n${value}`
    else if (field === 'event') event = value
  }
  const lines = (text: string): readonly SseEvent[] => {
    const events: SseEvent[] = []
    let start = 0
    // A return that ended the piece before may have been the first half of one line end.
    if (afterReturn && text.startsWith('\n')) start = 1
    if (text !== '') afterReturn = false
    for (let at = lineEnd(text, start); at >= 0; at = lineEnd(text, start)) {
      line(rest + text.slice(start, at), events)
      rest = ''
      start = at + 1
      if (text[at] === '\r') {
        if (start === text.length) afterReturn = true
        else if (text[start] === '\n') start++
      }
    }
    rest += text.slice(start)
    if (rest.length + (data?.length ?? 0) > maxEventChars) {
      throw new SseOverflowError(`one event is longer than ${maxEventChars} characters`)
    }
    return events
  }
  return {
    feed: (bytes) => lines(decoder.decode(bytes, { stream: true })),
    end: () => {
      const events = [...lines(decoder.decode())]
      if (rest !== '') line(rest, events)
      rest = ''
      line('', events)
      return events
    },
  }
}

/** Where the first line end is, at `from` or after it. */
function lineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from)
  const back = text.indexOf('\r', from)
  if (back < 0) return feed
  return feed < 0 ? back : Math.min(feed, back)
}
