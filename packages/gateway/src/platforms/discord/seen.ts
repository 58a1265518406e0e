import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { z } from 'zod'

/** Channels whose last message is remembered; those where the agent was spoken to last. */
const maxChannels = 200

/** How long a change may wait to be written, ms. */
const writeMs = 1_000

const file = z.looseObject({ account: z.string(), channels: z.record(z.string(), z.string().regex(/^\d+$/)) })

/**
 * Up to which message each channel is dealt with, so that after an absence the rest can be read. What is in storage is
 * never ahead of the gateway's: a message may come twice, and is known then.
 */
export interface Seen {
  /** Begins to deal with a message. Call what it gives: `isOurs` when it was for the agent. */
  begin(channelId: string, messageId: string): (isOurs: boolean) => void
  /** A channel that matters from a message on. */
  know(channelId: string, messageId: string): void
  forget(channelId: string): void
  /** The channels, and the message up to which each is dealt with. */
  list(): readonly (readonly [channelId: string, messageId: string])[]
  close(): Promise<void>
}

interface State {
  /** The newest message that is dealt with. */
  done: bigint
  readonly open: Set<bigint>
  isKnown: boolean
}

export async function openSeen(home: Home, account: string, onError: (error: unknown) => void): Promise<Seen> {
  const path = home.path('platforms', 'discord', 'seen.json')
  const channels = new Map<string, State>()
  for (const [id, done] of Object.entries(await read(path, account))) {
    channels.set(id, { done: BigInt(done), open: new Set(), isKnown: true })
  }
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const list = () => [...channels].flatMap(([id, state]) => (state.isKnown ? [[id, String(upTo(state))] as const] : []))
  const write = async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFileAtomic(path, JSON.stringify({ account, channels: Object.fromEntries(list()) }), { mode: 0o600 })
  }
  const flush = () => {
    timer = undefined
    writing = writing.then(write).catch(onError)
  }
  const change = () => {
    timer ??= setTimeout(flush, writeMs)
  }
  const stateOf = (channelId: string): State => {
    const known = channels.get(channelId) ?? { done: 0n, open: new Set<bigint>(), isKnown: false }
    channels.delete(channelId)
    channels.set(channelId, known)
    for (const [id, { open }] of channels) {
      if (channels.size <= maxChannels) break
      if (open.size === 0 && id !== channelId) channels.delete(id)
    }
    return known
  }

  return {
    begin(channelId, messageId) {
      const id = BigInt(messageId)
      stateOf(channelId).open.add(id)
      return (isOurs) => {
        const state = stateOf(channelId)
        state.open.delete(id)
        if (id > state.done) state.done = id
        state.isKnown ||= isOurs
        if (state.isKnown) change()
        else if (state.open.size === 0) channels.delete(channelId)
      }
    },
    know(channelId, messageId) {
      const state = stateOf(channelId)
      state.isKnown = true
      if (BigInt(messageId) > state.done) state.done = BigInt(messageId)
      change()
    },
    forget(channelId) {
      if (channels.delete(channelId)) change()
    },
    list,
    async close() {
      clearTimeout(timer)
      if (timer) flush()
      await writing
    },
  }
}

/** All up to this one are dealt with. */
function upTo({ done, open }: State): bigint {
  let first = done
  for (const id of open) if (id <= first) first = id - 1n
  return first
}

async function read(path: string, account: string): Promise<Readonly<Record<string, string>>> {
  try {
    const found = file.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
    return found?.account === account ? found.channels : {}
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return {}
    throw error
  }
}
