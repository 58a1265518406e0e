import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { Connection } from '../platforms/platform.ts'
import { writeListedChannels } from './channel-directory.ts'

/** How long after connecting services are asked, and how often from then on, ms. */
const [firstMs, everyMs] = [5_000, 3_600_000]

/** Longest that one service may take, ms. */
const listMs = 60_000

export interface ChannelListerOptions {
  readonly home: Home
  readonly log: Logger
  readonly now: () => number
  readonly connectionOf: (platform: string) => Pick<Connection, 'channels'> | undefined
}

/** Keeps `channel_directory.json` filled with what services tell of their channels. */
export interface ChannelLister extends Disposable {
  /** A platform has connected. */
  connected(platform: string): void
  /** Asks now. */
  list(platform: string): Promise<void>
}

export function createChannelLister({ home, log, now, connectionOf }: ChannelListerOptions): ChannelLister {
  const timers = new Map<string, NodeJS.Timeout>()
  const ending = new AbortController()

  async function list(platform: string): Promise<void> {
    const channels = connectionOf(platform)?.channels
    if (!channels) return
    const found = await channels.list(AbortSignal.any([ending.signal, AbortSignal.timeout(listMs)]))
    await writeListedChannels(platform, found, { home, now: now() })
  }

  function later(platform: string, ms: number): void {
    clearTimeout(timers.get(platform))
    const timer = setTimeout(() => {
      if (!connectionOf(platform)?.channels) return
      list(platform).catch((error: unknown) => {
        if (!ending.signal.aborted) log.warn({ platform, error: String(error) }, 'its channels cannot be listed')
      })
      later(platform, everyMs)
    }, ms)
    timers.set(platform, timer.unref())
  }
  return {
    list,
    connected: (platform) => later(platform, firstMs),
    [Symbol.dispose]() {
      ending.abort(new DOMException('The gateway stops.', 'AbortError'))
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
