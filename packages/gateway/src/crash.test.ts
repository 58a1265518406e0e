import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startChatService } from '@hermes/testing/chat-service/server.ts'
import type { ChatService } from '@hermes/testing/chat-service/server.ts'
import type { RecordedRequest } from '@hermes/testing/scripted-model/answer.ts'
import { startScriptedModel } from '@hermes/testing/scripted-model/server.ts'
import { temporaryHome } from '@hermes/testing'

/** Messages of one run; `HERMES_TEST_LONG` asks for as many as a whole day might bring. */
const isLong = process.env['HERMES_TEST_LONG'] === '1'
const platformCount = isLong ? 5 : 2
const peopleEach = isLong ? 10 : 3
const messagesEach = isLong ? 40 : 4

/** Kills at least. */
const leastKills = 3

function lastUser(request: RecordedRequest): string {
  const content = (request.body.messages ?? []).findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}

const limit = { timeout: isLong ? 2_000_000 : 400_000 }

test(
  'kill -9 again and again loses no message, answers none twice and keeps the order of each chat',
  limit,
  async () => {
    await using model = disposable(
      await startScriptedModel((request) => {
        if (!request.body.tools) return { text: 'A title' }
        // The message itself, or the one that a restart interrupted.
        const said = (request.body.messages ?? []).flatMap(({ role, content }) =>
          role === 'user' && typeof content === 'string' ? (content.match(/message \d+/g) ?? []) : [],
        )
        return { text: `Answer to ${said.at(-1) ?? lastUser(request)}`, delayMs: 30 }
      }),
    )
    await using home = await temporaryHome({
      'config.yaml': `model: {default: m, base_url: "${model.url}", api_key: made-up-key-123456}
display: {busy_input_mode: queue}
memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
`,
      '.env': ['GATEWAY_ALLOW_ALL_USERS=true', ...[0, 1, 2, 3, 4].map((n) => `PLAIN${n}_HOME_CHANNEL=1`)].join('\n'),
    })
    await using opened = new AsyncDisposableStack()
    const services: ChatService[] = []
    for (let n = 0; n < platformCount; n++) services.push(opened.use(await startChatService()))
    const total = platformCount * peopleEach * messagesEach
    const done = new AbortController()
    let kills = 0
    // However quick the machine is, some is written after each of them.
    const writing = writeAll(services, async (round) => {
      while (kills < Math.min(round, leastKills)) await wait(10, undefined, { signal: done.signal })
    })
    const posted = () => services.reduce((count, { posts }) => count + posts.length, 0)
    // On a busy machine a process may need long before it sends anything: where none was sent, the next ones live longer.
    let longestMs = 700
    const killing = (async () => {
      while (!done.signal.aborted) {
        const child = startGatewayProcess(home.dir, services)
        const exited = once(child, 'exit')
        await Promise.race([once(child.stdout, 'data'), exited])
        const before = posted()
        // From before the first message is stored to after many are sent.
        await Promise.race([wait(100 + Math.random() * longestMs), exited])
        child.kill('SIGKILL')
        kills++
        if (kills === 6) longestMs = 4_000
        if (kills > 6 && posted() === before) longestMs = Math.min(longestMs * 1.5, 30_000)
        await exited
      }
    })()
    try {
      await writing
      await Promise.all(
        services.map((service) => service.waitForPosts(total / platformCount, isLong ? 1_800_000 : 300_000)),
      )
    } finally {
      done.abort()
      await killing
    }
    assert.ok(kills >= leastKills, `${kills} kills`)
    for (const service of services) {
      const byChat = Map.groupBy(service.posts, ({ chatId }) => chatId)
      assert.equal(byChat.size, peopleEach)
      for (const [chatId, posts] of byChat) {
        const expected = Array.from({ length: messagesEach }, (_, n) => `Answer to message ${n}`)
        const texts = posts.map(({ text }) => text.replace(/\n\n_\(Perhaps sent twice.*\)_$/, ''))
        assert.deepEqual(texts, expected, `chat ${chatId}`)
      }
    }
  },
)

function startGatewayProcess(home: string, services: readonly ChatService[]) {
  const script = join(import.meta.dirname, 'crash.fixture.ts')
  const args = ['--conditions=development', '--no-warnings', script, home, ...services.map(({ url }) => url)]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Each person writes their messages in order, all of them side by side. */
async function writeAll(services: readonly ChatService[], mayBegin: (round: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < messagesEach; n++) {
    await mayBegin(n)
    for (const service of services) {
      for (let person = 0; person < peopleEach; person++) {
        service.write({ chatId: `c${person}`, userId: `u${person}`, text: `message ${n}` })
      }
    }
    await wait(50)
  }
}

function disposable<T extends { close(): Promise<void> }>(server: T): T & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() })
}
