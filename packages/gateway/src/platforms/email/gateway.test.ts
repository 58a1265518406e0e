import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startCuttingProxy } from '@hermes/testing/mail-server/cutting-proxy.ts'
import { openPerson } from '@hermes/testing/mail-server/person.ts'
import { mailServerMissing, startMailServer } from '@hermes/testing/mail-server/server.ts'
import type { MailServer } from '@hermes/testing/mail-server/server.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { startGateway } from '../../gateway.ts'
import { configuredPlatforms } from '../../life/configured-platforms.ts'
import { accountOf } from './test-bed.ts'

const skip = mailServerMissing()
let server: MailServer
before(async () => {
  if (skip === undefined) server = await startMailServer()
})
after(() => server?.[Symbol.asyncDispose]())

interface Given {
  /** Other variables of the account. */
  readonly environment?: Readonly<Record<string, string>>
  readonly script: (request: RecordedRequest) => ScriptedAnswer
  readonly config?: string
  /** Who may speak; an address, or everybody. */
  readonly allowed?: (ann: string) => string
  readonly work?: Readonly<Record<string, string>>
}

/** The whole gateway on a real mail server, and a person who writes to it. */
async function open({ script, config = '', allowed = () => '*', work, environment }: Given) {
  const address = server.address('hermes')
  const ann = await openPerson(server, server.address('ann'))
  const account = {
    ...accountOf(server, address),
    EMAIL_ALLOWED_USERS: allowed(ann.address),
    EMAIL_HOME_ADDRESS: ann.address,
    ...environment,
  }
  const all = await startScriptedAgent({
    script: (request) => (request.body.tools ? script(request) : { text: 'A title' }),
    config: `memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n${config}`,
    home: {
      '.env': Object.entries(account)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    },
    ...(work && { work }),
  })
  const start = async () => {
    const { ready } = await configuredPlatforms(all.context)
    const gateway = await startGateway({ agent: all.context, platforms: ready })
    while (gateway.platforms()[0]?.state === 'connecting') await new Promise((resolve) => setTimeout(resolve, 10))
    return gateway
  }
  let gateway = await start()
  return {
    address,
    ann,
    all,
    get gateway() {
      return gateway
    },
    stop: () => gateway[Symbol.asyncDispose](),
    async restart() {
      await gateway[Symbol.asyncDispose]()
      await all.reopen()
      gateway = await start()
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await all[Symbol.asyncDispose]()
      await ann[Symbol.asyncDispose]()
    },
  }
}

function lastUser(request: RecordedRequest): string {
  const content = (request.body.messages ?? []).findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}

const echo: Given['script'] = (request) => ({ text: `You said: ${lastUser(request)}` })

test('a mail is answered by mail in its thread, a long answer in one', { skip }, async () => {
  const long = Array.from({ length: 3_000 }, (_, n) => `word${n}`).join(' ')
  await using all = await open({ script: () => ({ text: long }) })
  const id = await all.ann.send({ to: all.address, subject: 'Tell me', text: 'all' })
  const [mail] = await all.ann.until(1)
  assert.deepEqual([mail?.subject, mail?.inReplyTo], ['Re: Tell me', id])
  assert.equal(mail?.text?.replaceAll(/\s+/g, ' ').trim(), long)
})

test('commands and consent work by answering, whatever the mail program quotes', { skip }, async () => {
  await using all = await open({
    allowed: (ann) => ann.toUpperCase(),
    work: { 'build/x': '' },
    script: (request) =>
      (request.body.messages ?? []).at(-1)?.role === 'tool'
        ? { text: 'Removed.' }
        : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build' } }] },
  })
  const { ann } = all
  await ann.send({ to: all.address, subject: 'Clean up', text: 'please' })
  const [asked] = await ann.until(1)
  assert.match(asked?.text ?? '', /rm -rf build[^]*\/approve/)
  assert.equal(asked?.subject, 'Re: Clean up')
  await ann.send({
    to: all.address,
    subject: 'Re: Clean up',
    inReplyTo: asked?.messageId ?? '',
    text: `/approve\n\nBest,\nAnn\n\nOn Sun, Nov 29, 2026 at 10:00 PM Hermes <${all.address}> wrote:\n\n> Answer with /approve, /deny.\n> more`,
  })
  const mails = await ann.until(3)
  const texts = mails.map(({ text }) => text?.trim())
  assert.ok(texts.includes('Removed.'), texts.join('\n---\n'))
  await ann.send({ to: all.address, subject: '/status', text: '' })
  const [, , , status] = await ann.until(4)
  assert.match(status?.text ?? '', /email/i)
})

test('a stranger gets a code, of a forged sender nothing is taken', { skip }, async () => {
  await using all = await open({ script: echo, allowed: () => 'somebody@example.test' })
  const { ann } = all
  await ann.sendFromWorld({ to: all.address, text: 'I am Ann' }, 'x@evil.test')
  await ann.send({ to: all.address, text: 'let me in' })
  const [mail] = await ann.until(1)
  const code = /approve email ([A-Z2-9]{8})/.exec(mail?.text ?? '')?.[1] ?? ''
  await all.gateway.pairing.approve('email', code)
  await ann.send({ to: all.address, text: 'now?' })
  const mails = await ann.until(2)
  assert.deepEqual(
    mails.slice(1).map(({ text }) => text?.trim()),
    ['You said: now?'],
  )
})

test('what came while the gateway was away is answered after its start, once', { skip }, async () => {
  await using all = await open({ script: echo })
  const { ann } = all
  await ann.send({ to: all.address, text: 'before' })
  await ann.until(1)
  await all.stop()
  await ann.send({ to: all.address, text: 'while away' })
  await all.restart()
  await ann.until(2)
  await ann.send({ to: all.address, text: 'after' })
  const mails = await ann.until(3)
  assert.deepEqual(
    mails.map(({ text }) => text?.trim()),
    ['before', 'while away', 'after'].map((text) => `You said: ${text}`),
  )
})

test(
  'lines that break, while mail comes and while an answer is due, lose nothing and double nothing',
  { skip },
  async () => {
    await using reading = await startCuttingProxy(server.ports.imaps)
    await using writing = await startCuttingProxy(server.ports.submission)
    await using all = await open({
      script: echo,
      config: 'display: {busy_input_mode: queue}',
      environment: { EMAIL_IMAP_PORT: String(reading.port), EMAIL_SMTP_PORT: String(writing.port) },
    })
    const { ann } = all
    await ann.send({ to: all.address, text: 'one' })
    await ann.until(1)
    reading.cut()
    await ann.send({ to: all.address, text: 'two' })
    await ann.until(2)
    writing.isOpen = false
    await ann.send({ to: all.address, text: 'three' })
    while (all.gateway.platforms()[0]?.state === 'connected') await new Promise((resolve) => setTimeout(resolve, 20))
    writing.isOpen = true
    const mails = await ann.until(3)
    assert.deepEqual(
      mails.map(({ text }) => text?.trim()),
      ['one', 'two', 'three'].map((text) => `You said: ${text}`),
    )
  },
)
