import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { CdpSession } from '../cdp/connection.ts'

/** What a page is loading. */
export interface Activity {
  /** The page itself is being loaded. */
  readonly isLoading: boolean
  /** The last answer to a request for the page itself. */
  readonly document: DocumentAnswer | undefined
  /** Follows a page, or a frame in a process of its own. */
  follow(session: CdpSession): void
  /** A new page is asked for: what the old one waits for does not matter any more. */
  begin(): void
  /**
   * Resolves when the page is loaded and has asked for nothing for a moment. Pages that never rest are not waited for
   * longer than a few seconds. `isOver`: something else ends it.
   */
  quiet(options: { readonly loadMs: number; readonly isOver: () => boolean }, signal: AbortSignal): Promise<void>
}

export interface DocumentAnswer {
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

const quietMs = 150
/** Longest for what a loaded page still asks for: programs that talk all the time. */
const maxRestlessMs = 4_000
const pollMs = 25
const maxTracked = 2_000

const frameEvent = z.looseObject({ frameId: z.string() })
const requestEvent = z.looseObject({ requestId: z.string() })
const sent = z.looseObject({ requestId: z.string(), type: z.string().optional() })
const received = z.looseObject({
  type: z.string(),
  frameId: z.string().optional(),
  response: z.looseObject({
    url: z.string(),
    status: z.number(),
    headers: z.record(z.string(), z.string()).catch({}),
  }),
})

/** Requests that last as long as the page does. */
const lasting = new Set(['EventSource', 'WebSocket', 'Ping', 'Media', 'Prefetch'])

/** Follows what the page with this main frame loads. */
export function createActivity(mainFrameId: string): Activity {
  /** Since when; a frame's page is asked for in one process and arrives in another, under one id. */
  const running = new Map<string, number>()
  let isLoading = false
  let document: DocumentAnswer | undefined
  return {
    get isLoading() {
      return isLoading
    },
    get document() {
      return document
    },
    follow(session) {
      const isMain = (frameId: string | undefined) => frameId === mainFrameId
      session.on('Page.frameStartedLoading', frameEvent, ({ frameId }) => {
        if (isMain(frameId)) isLoading = true
      })
      session.on('Page.frameStoppedLoading', frameEvent, ({ frameId }) => {
        if (isMain(frameId)) isLoading = false
      })
      session.on('Network.requestWillBeSent', sent, ({ requestId, type = '' }) => {
        if (!lasting.has(type) && running.size < maxTracked) running.set(requestId, performance.now())
      })
      session.on('Network.responseReceived', received, ({ type, frameId, response }) => {
        if (type === 'Document' && isMain(frameId)) document = response
      })
      for (const event of ['Network.loadingFinished', 'Network.loadingFailed']) {
        session.on(event, requestEvent, ({ requestId }) => void running.delete(requestId))
      }
    },
    begin() {
      running.clear()
      document = undefined
    },
    async quiet({ loadMs, isOver }, signal) {
      const began = performance.now()
      let quietSince = began
      let loadedAt = began
      for (;;) {
        const now = performance.now()
        if (isLoading) loadedAt = now
        // What has not been answered for so long is not what the page waits for.
        for (const [id, since] of running) if (now - since >= maxRestlessMs) running.delete(id)
        if (isLoading || running.size > 0) quietSince = now
        const isDone = isLoading
          ? now - began >= loadMs
          : now - quietSince >= quietMs || now - loadedAt >= maxRestlessMs
        if (isDone || isOver()) return
        await delay(pollMs, undefined, { signal })
      }
    },
  }
}
