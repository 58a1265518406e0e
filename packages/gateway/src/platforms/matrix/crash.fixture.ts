import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import type { InboundMessage } from '../../messages/inbound-message.ts'
import { matrix } from './index.ts'
import type { MatrixHost } from './take-event.ts'

// A connection in a process of its own, for the test that kills it: what comes is kept in a file, each event once, and
// answered under its event's key until the answer is kept, too.

const home = openHome(process.env)
const inbox = home.path('inbox.jsonl')
const outbox = home.path('outbox.txt')
const lines = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [])
const kept = new Map(lines(inbox).map((line) => [(JSON.parse(line) as InboundMessage).eventId, line]))
const answered = new Set(lines(outbox))
const signal = new AbortController().signal
const waiting: (() => void)[] = []

const host: MatrixHost = {
  home,
  environment: process.env,
  clock: systemClock(),
  log: silentLogger,
  courier: { find: async () => undefined, deliver: async () => {} },
  access: { isAuthorised: async () => true },
  async receive(message) {
    if (kept.has(message.eventId)) return
    const line = JSON.stringify(message)
    kept.set(message.eventId, line)
    appendFileSync(inbox, `${line}\n`)
    waiting.shift()?.()
  },
  press: async () => '',
}
const setup = matrix.read(configSchema.parse({}), process.env)
if (setup.state !== 'ready') throw new Error(JSON.stringify(setup))
const connection = await matrix.connect(setup.settings, host, signal)
process.stdout.write('ready\n')
for (;;) {
  for (const [eventId, line] of kept) {
    if (answered.has(eventId)) continue
    const { source, text } = JSON.parse(line) as InboundMessage
    const chat = { platform: 'matrix', chatId: source.chatId, chatType: source.chatType }
    await connection.send(chat, { type: 'text', text: `echo of ${text}` }, { key: eventId }, signal)
    answered.add(eventId)
    appendFileSync(outbox, `${eventId}\n`)
  }
  await new Promise<void>((resolve) => waiting.push(resolve))
}
