import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestPheby, secret } from '@hermes/gateway/platforms/pheby/test-pheby.ts'
import { PhebyClient, PhebyError } from '@hermes/sdk'
import type { PhebyEvent, PhebyOf } from '@hermes/sdk'
import type { RecordedRequest } from '@hermes/testing'
import { cutEverywhere } from './phone-cuts.ts'
import type { Conversation } from './phone-cuts.ts'

const clip = randomBytes(100_000)

const said = ['Say something long.', 'Clean up.', 'Ask me.', 'Send the clip.']
const answers = ['One two three four.', 'It is clean.', 'Green then.', 'Here it is.']

test(
  'Pheby: wherever the network breaks, nothing is missing, nothing comes twice, and each message is answered once',
  { timeout: 300_000 },
  async () => {
    await using all = await openTestPheby({
      config: 'streaming: {enabled: true, edit_interval: 0.01}\n',
      script(request) {
        if (!request.body.tools) return { text: 'A title' }
        const text = lastUser(request)
        const isOver = request.body.messages?.at(-1)?.role === 'tool'
        if (text.includes('long')) return { text: ['One two ', 'three ', 'four.'], chunkDelayMs: 15 }
        if (text.includes('Clean') && !isOver) {
          return { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
        }
        if (text.includes('Ask') && !isOver) {
          return { toolCalls: [{ name: 'clarify', arguments: { question: 'Which?', choices: ['red', 'blue'] } }] }
        }
        if (text.includes('clip')) return { text: 'Here it is.\nMEDIA:./clip.mp4' }
        return { text: answers[text.includes('Clean') ? 1 : 2] ?? '' }
      },
    })
    await writeFile(join(all.agent.work, 'clip.mp4'), clip)
    let conversations = 0
    const cuts = await cutEverywhere({
      port: Number(new URL(all.url).port),
      // Every client is told of all conversations, which would shift the boundaries of the others.
      sideBySide: 1,
      async converse(conversation) {
        conversations++
        await converse(conversation)
      },
    })
    assert.ok(cuts > 15, `${cuts} cuts`)
    const turns = all.agent.model.requests.filter(
      ({ body }) => body.tools !== undefined && body.messages?.at(-1)?.role === 'user',
    )
    for (const text of said) assert.equal(turns.filter((request) => lastUser(request) === text).length, conversations)
  },
)

type History = PhebyOf<PhebyEvent, 'conversation.history'>

/** What the app shows of one conversation: a snapshot, then what comes after it. */
class Screen {
  readonly texts = new Map<string, string>()
  readonly files = new Map<string, string>()
  readonly approvals = new Map<string, string>()
  readonly questions = new Map<string, string>()
  runId: string | undefined
  snapshots = 0

  take(event: PhebyEvent): void {
    switch (event.type) {
      case 'conversation.history':
        return this.replace(event)
      case 'message.delta':
      case 'message.complete':
        return void this.texts.set(event.message_id, event.text)
      case 'run.accepted':
        this.runId = event.run_id
        return undefined
      case 'run.finished':
        if (event.run_id === this.runId) this.runId = undefined
        return undefined
      case 'attachment.added':
        return void this.files.set(event.attachment.attachment_id, event.attachment.download_path)
      case 'approval.request':
        return void this.approvals.set(event.approval_id, event.command)
      case 'approval.resolved':
        return void this.approvals.delete(event.approval_id)
      case 'clarify.request':
        return void this.questions.set(event.clarify_id, event.question)
      case 'clarify.resolved':
        return void this.questions.delete(event.clarify_id)
      default:
        return undefined
    }
  }

  replace({ messages, run, attachments, approvals, clarifications }: History): void {
    this.snapshots++
    for (const shown of [this.texts, this.files, this.approvals, this.questions]) shown.clear()
    for (const { message_id: id, role, text } of messages) if (role === 'assistant') this.texts.set(id, text)
    if (run && run.text !== '') this.texts.set(run.message_id, run.text)
    this.runId = run?.run_id
    for (const file of attachments) this.files.set(file.attachment_id, file.download_path)
    for (const { approval_id: id, command } of approvals) this.approvals.set(id, command)
    for (const { clarify_id: id, question } of clarifications) this.questions.set(id, question)
  }
}

/** A person's side: says all of it in turn, consents, answers, and looks at what the app shows. */
async function converse({ url, name }: Conversation): Promise<void> {
  await using client = new PhebyClient(url, secret, {
    reconnect: { initialMs: 5, maxMs: 40 },
    requestTimeoutMs: 60_000,
  })
  const screen = new Screen()
  const users: string[] = []
  const changes = new EventTarget()
  const log: string[] = []
  let conversation = ''
  void (async () => {
    for await (const { type, value } of client) {
      log.push(type)
      if (type === 'connected' || type === 'disconnected' || !('conversation_id' in value)) {
        if (type === 'approval.resolved' || type === 'clarify.resolved') screen.take(value)
      } else if (value.conversation_id === conversation) {
        if (value.type === 'conversation.history') {
          users.splice(0, users.length, ...value.messages.filter(({ role }) => role === 'user').map(({ text }) => text))
        }
        screen.take(value)
      }
      changes.dispatchEvent(new Event('change'))
    }
  })()
  const until = async (isSo: () => boolean) => {
    const late = AbortSignal.timeout(60_000)
    while (!isSo()) {
      await once(changes, 'change', { signal: late }).catch((error: unknown) => {
        const state = { texts: [...screen.texts.values()], files: screen.files.size, runId: screen.runId, users, log }
        throw new Error(`it did not come about: ${JSON.stringify(state)}`, { cause: error })
      })
    }
  }
  /** Does it; after a lost connection looks at the next snapshot first, whether it is done. */
  const surely = async (act: () => Promise<unknown>, isDone: () => boolean) => {
    for (;;) {
      const before = screen.snapshots
      try {
        await act()
        return
      } catch (error) {
        if (!(error instanceof PhebyError)) throw error
        // It had arrived.
        if (/^(run_active|approval_not_found|clarify_not_found)$/.test(error.code)) return
        if (error.code !== 'disconnected') throw error
      }
      await until(() => screen.snapshots > before)
      if (isDone()) return
    }
  }

  conversation = await begin(client, name)
  for (const [at, text] of said.entries()) {
    await surely(
      () => client.send(conversation, text),
      () => users.filter((one) => one === text).length > 0 || screen.runId !== undefined,
    )
    if (at === 1) {
      await until(() => screen.approvals.size > 0)
      const [id = ''] = screen.approvals.keys()
      await surely(
        () => client.respondApproval(id, 'once'),
        () => !screen.approvals.has(id),
      )
    }
    if (at === 2) {
      await until(() => screen.questions.size > 0)
      const [id = ''] = screen.questions.keys()
      await surely(
        () => client.respondClarify(id, 'green'),
        () => !screen.questions.has(id),
      )
    }
    await until(() => screen.runId === undefined && screen.texts.size > at)
  }
  await until(() => screen.files.size > 0)
  const shown = { texts: [...screen.texts.values()], files: [...screen.files.keys()] }
  assert.deepEqual(shown.texts, answers)
  const [path = ''] = screen.files.values()
  assert.ok(Buffer.from(await (await client.downloadAttachment({ download_path: path })).arrayBuffer()).equals(clip))
  // The server says the same.
  await surely(
    () => client.openConversation(conversation),
    () => false,
  )
  assert.deepEqual({ texts: [...screen.texts.values()], files: [...screen.files.keys()] }, shown)
  assert.deepEqual(users, said)
}

/** Connects and begins a conversation, whatever is lost on the way to it. */
async function begin(client: PhebyClient, name: string): Promise<string> {
  for (let tries = 5; ; tries--) {
    try {
      await client.connect()
      const known = (await client.listConversations()).find((one) => one.name === name)
      const id = known?.conversation_id ?? (await client.createConversation(name)).conversation_id
      await client.watchConversation(id)
      return id
    } catch (error) {
      if (tries === 0) throw error
      if (client.isConnected) continue
      const open = new Promise((resolve) => client.on('connected', resolve))
      await Promise.race([open, new Promise((resolve) => setTimeout(resolve, 200))])
    }
  }
}

function lastUser({ body }: RecordedRequest): string {
  const content = (body.messages ?? []).findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}
