import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { isAfterTool, lastUser, openMobileGateway } from '@hermes/gateway/platforms/mobile/test-mobile-gateway.ts'
import { HermesMobileClient } from '@hermes/sdk'
import { cutEverywhere } from './phone-cuts.ts'
import type { Conversation } from './phone-cuts.ts'

const clip = randomBytes(200_000)

/** What is said, and what is shown of it. */
const said = ['Say something long.', 'Clean up.', 'Ask me.', 'Send the clip.']
const shown = [
  'One two three four.',
  'I will clean up.',
  'It is clean.',
  'Green then.',
  'I have the file.',
  'Here it is.',
]

test(
  'mobile: wherever the network breaks, nothing is missing, nothing comes twice, and each message is answered once',
  { timeout: 300_000 },
  async () => {
    await using all = await openMobileGateway({
      config: 'streaming: {enabled: true, edit_interval: 0.01}\n',
      script(request) {
        const text = lastUser(request)
        const isOver = isAfterTool(request)
        if (text.includes('long')) return { text: ['One two ', 'three ', 'four.'], chunkDelayMs: 15 }
        if (text.includes('Clean')) {
          return isOver
            ? { text: 'It is clean.' }
            : { text: 'I will clean up.', toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
        }
        if (text.includes('Ask')) {
          return isOver
            ? { text: 'Green then.' }
            : { toolCalls: [{ name: 'clarify', arguments: { question: 'Which?', choices: ['red', 'blue'] } }] }
        }
        return { text: text.includes('clip.') ? 'Here it is.\nMEDIA:./clip.mp4' : 'I have the file.' }
      },
    })
    await writeFile(join(all.agent.work, 'clip.mp4'), clip)
    const asked = new Map<string, number>()
    const cuts = await cutEverywhere({
      port: Number(new URL(all.url).port),
      sideBySide: 6,
      converse: (conversation) => converse(conversation, () => agree(conversation.name)),
    })
    assert.ok(cuts > 20, `${cuts} cuts`)
    for (const request of all.agent.model.requests) {
      if (!request.body.tools || request.body.messages?.at(-1)?.role !== 'user') continue
      const text = lastUser(request)
      asked.set(text, (asked.get(text) ?? 0) + 1)
    }
    // Each conversation says what the others say, too.
    const conversations = new Set(sessions().map(({ device }) => device)).size
    for (const text of said) assert.equal(asked.get(text), conversations, text)

    function sessions(): { device: string }[] {
      using db = new DatabaseSync(all.agent.home.path('mobile.db'))
      return db.prepare('SELECT DISTINCT device FROM items').all() as { device: string }[]
    }

    /** The server holds nothing for the device any more. */
    async function agree(device: string): Promise<void> {
      using db = new DatabaseSync(all.agent.home.path('mobile.db'))
      const left = db.prepare('SELECT kind, id FROM items WHERE device = ? AND ended_at IS NULL')
      for (let tries = 100; left.all(device).length > 0; tries--) {
        assert.ok(tries > 0, `not confirmed: ${JSON.stringify(left.all(device))}`)
        await wait(20)
      }
    }
  },
)

/** A person's side: says all of it in turn and looks at what the phone shows. */
async function converse({ url, name }: Conversation, agree: () => Promise<void>): Promise<void> {
  const client = new HermesMobileClient(url, 'the-token', { id: name }, { reconnect: { initialMs: 5, maxMs: 40 } })
  const texts = new Map<string, string>()
  const files: Buffer[] = []
  const told: string[] = []
  client.on('message', ({ id, index, text }) => {
    told.push(`message ${id} ${index}`)
    texts.set(id, (texts.get(id) ?? '') + text)
  })
  client.on('messageEdit', ({ id, text }) => texts.set(id, text))
  client.on('media', ({ id, data }) => {
    told.push(`media ${id}`)
    files.push(Buffer.from(data))
  })
  client.on('prompt', ({ id, kind }) => {
    told.push(`prompt ${id}`)
    return client.answerPrompt(id, kind === 'clarify' ? { optionId: 'other', text: 'green' } : { optionId: 'once' })
  })
  client.on('promptDone', ({ id }) => told.push(`done ${id}`))
  const failures: string[] = []
  client.on('error', ({ message }) => failures.push(message))
  try {
    await connected(client)
    const replies: string[] = []
    const reply = async () => void replies.push((await client.waitMessage(60_000)).join('|'))
    for (const text of said.slice(0, 3)) {
      await client.sendText(text)
      await reply()
    }
    await client.sendDocument(clip, { chunkBytes: 80_000, filename: 'mine.bin', caption: 'Keep it.' })
    await reply()
    await client.sendText(said[3] ?? '')
    await reply()
    if (files.length === 0) await client.waitMedia(60_000)
    await agree()
    assert.deepEqual(replies, [shown[0], `${shown[1]}|${shown[2]}`, shown[3], shown[4], shown[5]])
    assert.deepEqual([...texts.values()], shown)
    assert.deepEqual(
      files.map((file) => file.equals(clip)),
      [true],
    )
    assert.equal(new Set(told).size, told.length, `shown twice: ${told.join(', ')}`)
    // An answer that arrived before the network broke is given once more.
    assert.deepEqual(
      failures.filter((message) => !message.startsWith('prompt_closed')),
      [],
    )
    assert.equal(told.filter((one) => one.startsWith('done')).length, 2)
  } catch (error) {
    const state = JSON.stringify({ texts: [...texts.values()], told, failures, isConnected: client.isConnected })
    throw new Error(`${String(error)}\n${state}`, { cause: error })
  } finally {
    await client.close()
  }
}

/** The first connection is the caller's to try again. */
async function connected(client: HermesMobileClient): Promise<void> {
  for (let tries = 3; ; tries--) {
    try {
      await client.connect()
      return
    } catch (error) {
      if (tries === 0) throw error
    }
  }
}
