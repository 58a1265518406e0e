import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import { connectDevice } from './test-device.ts'
import { isAfterTool, openMobileGateway } from './test-mobile-gateway.ts'

/** What a person sees on a device, by the rules of the protocol: what is shown already is dropped by its id. */
class Screen {
  readonly texts = new Map<string, string>()
  readonly files = new Map<string, Map<number, string>>()
  readonly shownFiles = new Map<string, Buffer>()
  readonly cards = new Map<string, string | undefined>()
  isOver = false

  /** Takes a frame; what is to be said to it. */
  take(frame: MobileServerFrame): readonly object[] {
    if (frame.t === 'message') {
      const piece = `${frame.id} ${frame.index}`
      if (frame.edit || !this.texts.has(piece)) this.texts.set(piece, frame.text)
      this.isOver ||= frame.final
      return frame.edit ? [] : [{ t: 'ack', id: frame.id }]
    }
    if (frame.t === 'media') {
      const parts = this.files.get(frame.id) ?? new Map<number, string>()
      this.files.set(frame.id, parts.set(frame.part, frame.data))
      if (parts.size < frame.parts) return []
      const inOrder = [...parts].sort(([a], [b]) => a - b)
      this.shownFiles.set(frame.id, Buffer.concat(inOrder.map(([, data]) => Buffer.from(data, 'base64'))))
      return [{ t: 'ack', id: frame.id }]
    }
    if (frame.t === 'prompt') {
      if (!this.cards.has(frame.id)) this.cards.set(frame.id, undefined)
      return this.cards.get(frame.id) === undefined ? [{ t: 'prompt', prompt_id: frame.id, option_id: 'once' }] : []
    }
    if (frame.t === 'prompt_done') this.cards.set(frame.id, frame.option_id)
    return []
  }

  get isComplete(): boolean {
    return this.isOver && this.shownFiles.size === 1 && [...this.cards.values()].includes('once')
  }
}

/** Conversations of other devices at once. */
const sideBySide = 8

/** Holds the conversation, with a cut behind the frame of that number. Resolves to how many came. */
async function converse(url: string, id: string, cutBehind: number): Promise<{ screen: Screen; frames: number }> {
  const screen = new Screen()
  const late = AbortSignal.timeout(60_000)
  let frames = 0
  for (let isCut = true; isCut;) {
    isCut = false
    const device = await connectDevice({ url, id })
    // It does not know whether this arrived.
    device.send({ t: 'text', id: 'go', text: 'go' })
    for (let at = 0; !screen.isComplete && !isCut; at++) {
      if (at >= device.frames.length) await once(device.socket, 'message', { signal: late })
      for (const answer of screen.take(device.frames[at] as MobileServerFrame)) device.send(JSON.stringify(answer))
      isCut = ++frames === cutBehind
    }
    device.cut()
    await device.closed
  }
  return { screen, frames }
}

test(
  'behind whichever frame the network is cut: nothing is missing and nothing shown twice',
  { timeout: 150_000 },
  async () => {
    await using all = await openMobileGateway({
      config: 'streaming: {enabled: true, edit_interval: 0.005}\n',
      script: (request) =>
        isAfterTool(request)
          ? { text: ['It is ', 'clean ', 'now.\nMEDIA:', './clip.mp4'], chunkDelayMs: 10 }
          : {
              text: ['I will ', 'clean ', 'up.'],
              chunkDelayMs: 10,
              toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }],
            },
    })
    const clip = randomBytes(500_000)
    await writeFile(join(all.agent.work, 'clip.mp4'), clip)
    const check = async (cutBehind: number) => {
      const { screen, frames } = await converse(all.url, `phone-${cutBehind}`, cutBehind)
      const where = `cut behind frame ${cutBehind}`
      assert.deepEqual([...screen.texts.values()], ['I will clean up.', 'It is clean now.'], where)
      assert.deepEqual([...screen.cards.values()], ['once'], where)
      assert.ok([...screen.shownFiles.values()][0]?.equals(clip), where)
      return frames
    }
    const most = await check(0)
    for (let first = 1; first <= most; first += sideBySide) {
      await Promise.all(Array.from({ length: sideBySide }, (_, at) => check(first + at)))
    }
    assert.ok(most > 12, `${most} frames`)
  },
)
