/** Carries the messages of the Chrome DevTools Protocol, one JSON text each. */
export interface CdpTransport {
  send(text: string): void
  /** Where what arrives goes to. Set once, before anything is sent. */
  listen(listener: CdpListener): void
  /** Nothing arrives any more. Can be called more than once. */
  close(): void
}

export interface CdpListener {
  message(text: string): void
  /** The other side is gone. */
  closed(): void
}

/** Longest message taken, characters: a screenshot of a very large page is below it. */
export const maxMessageChars = 128 * 1024 * 1024
