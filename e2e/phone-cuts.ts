import { startFrameProxy } from '@hermes/testing/web-socket/frame-proxy.ts'
import type { Cut, Direction, FrameProxy } from '@hermes/testing/web-socket/frame-proxy.ts'

// Breaks the network at the boundaries between the frames of a conversation, for tests of both protocols.

/** Every boundary with `HERMES_TEST_LONG`, else every third one, from another beginning for each direction. */
const step = process.env['HERMES_TEST_LONG'] ? 1 : 3

export interface Conversation {
  /** URL of the proxy that breaks. */
  readonly url: string
  /** What names it among the others. */
  readonly name: string
  readonly proxy: FrameProxy
}

export interface CutsOptions {
  /** Port of the gateway. */
  readonly port: number
  /** Conversations at once. */
  readonly sideBySide: number
  /** Holds the whole conversation and checks it. */
  readonly converse: (conversation: Conversation) => Promise<void>
}

/** Holds the conversation once for each boundary. Resolves to how many were cut. */
export async function cutEverywhere({ port, sideBySide, converse }: CutsOptions): Promise<number> {
  let cuts = 0
  /** Whether the conversation was long enough to be cut there. */
  const hold = async (name: string, cut?: Cut): Promise<boolean> => {
    await using proxy = await startFrameProxy(port, cut)
    try {
      await converse({ url: `ws://127.0.0.1:${proxy.port}/ws`, name, proxy })
    } catch (error) {
      const where = cut ? `cut behind frame ${cut.behind} ${cut.direction}` : 'without a cut'
      throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
    if (proxy.isCut) cuts++
    return proxy.isCut
  }
  await hold('whole')
  for (const [offset, direction] of (['to-server', 'to-client'] satisfies Direction[]).entries()) {
    let isOver = false
    let behind = offset
    const work = async () => {
      while (!isOver) {
        const at = behind
        behind += step
        if (!(await hold(`${direction}-${at}`, { direction, behind: at }))) isOver = true
      }
    }
    await Promise.all(Array.from({ length: sideBySide }, work))
  }
  return cuts
}
