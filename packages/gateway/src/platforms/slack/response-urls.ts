import { createBoundedMap } from './bounded-map.ts'

const maxKnown = 500

/** Slack takes answers there for half an hour. */
const holdsMs = 25 * 60_000

/** Where the person who gave a command can be answered in a channel that the app is not in. */
export interface ResponseUrls {
  note(channel: string, url: string): void
  /** The latest one that still holds. */
  of(channel: string): string | undefined
}

/** `now`: ms since 1970. */
export function createResponseUrls(now: () => number): ResponseUrls {
  const known = createBoundedMap<{ readonly url: string; readonly until: number }>(maxKnown)
  return {
    note: (channel, url) => known.set(channel, { url, until: now() + holdsMs }),
    of(channel) {
      const found = known.get(channel)
      return found && found.until > now() ? found.url : undefined
    },
  }
}
