import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Messenger } from '@hermes/core/agent/messenger.ts'
import { withMessenger } from '@hermes/core/agent/with-messenger.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import { tick } from '@hermes/core/cron/tick.ts'
import { startTicks } from '@hermes/core/terminals/process-identity.ts'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { Script } from '@hermes/testing/scripted-model/answer.ts'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { outsideDelivery } from '../cron/outside-delivery.ts'
import { startGateway } from '../gateway.ts'
import { configuredPlatforms } from '../life/configured-platforms.ts'
import { claimAccount, accountLocks } from '../platforms/token-lock.ts'
import { createOutsideMessenger } from './outside-messenger.ts'

/** A home with a bot on Telegram's stand-in, and no gateway. */
async function open(script?: Script) {
  const service = await startTelegram()
  const all = await startScriptedAgent({
    ...(script && { script }),
    config: `memory: {nudge_interval: 0}
skills: {creation_nudge_interval: 0}
tools: {search: never}
platforms: {telegram: {extra: {base_url: "${service.url}/bot"}}}`,
    home: {
      '.env': `TELEGRAM_BOT_TOKEN=${service.token}\nTELEGRAM_HOME_CHANNEL=7\nTELEGRAM_ALLOW_ALL_USERS=true\n`,
      'channel_directory.json': JSON.stringify({
        platforms: {
          telegram: [
            { id: '-100', name: 'Family', type: 'group' },
            { id: '-200', name: 'Listed', type: 'channel', guild: 'Team' },
          ],
        },
      }),
    },
    work: { 'a.pdf': 'x' },
  })
  const messenger = createOutsideMessenger(() => all.context)
  return {
    service,
    all,
    messenger,
    send: async (target: string, text: string, by: Messenger = messenger) => {
      const place = await by.find(target, undefined)
      return by.send({ place, text, mirrorAs: 'cli' }, AbortSignal.timeout(60_000))
    },
    async [Symbol.asyncDispose]() {
      await all[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

test('where no gateway runs, the platform is connected to only to send, and its account given back', async () => {
  await using t = await open()
  assert.equal((await t.messenger.find('telegram:#family', undefined)).chatId, '-100')
  assert.equal((await t.messenger.find('telegram:99', undefined)).isKnown, false)
  const [spoken, listed] = await Promise.all(
    ['family', 'Team/listed'].map((name) => t.messenger.find(`telegram:${name}`, undefined)),
  )
  assert.deepEqual([spoken?.isKnown, listed?.chatId, listed?.isKnown], [true, '-200', false])
  t.service.fail({ method: 'sendMessage', type: 'refuse', code: 429, description: 'x', parameters: { retry_after: 1 } })
  await t.send('telegram:family', `**Hello** all\nMEDIA:${t.all.work}/a.pdf`)
  assert.deepEqual(
    t.service.messages.map(({ chatId, text }) => [chatId, text]),
    [
      [-100, 'Hello all'],
      [-100, ''],
    ],
  )
  const methods = t.service.calls.map(({ method }) => method)
  assert.deepEqual(
    methods.filter((name) => !name.startsWith('send')),
    [],
    'no message is taken',
  )
  assert.deepEqual(await accountLocks(t.all.context.environment), [])
})

test('an account that another process uses is left alone, and what was not sent is told', async () => {
  await using t = await open()
  // A process that lives and has the account.
  const script = `
    const { claimAccount } = await import(${JSON.stringify(import.meta.resolve('../platforms/token-lock.ts'))})
    await claimAccount('telegram-bot-token', ${JSON.stringify(t.service.token)}, process.env)
    console.log('held')
    setInterval(() => {}, 1000)`
  const env = { ...t.all.home.environment, ...compileCache() }
  const child = spawn(process.execPath, ['--conditions=development', '--input-type=module', '-e', script], { env })
  await once(child.stdout, 'data')
  await assert.rejects(t.send('telegram', 'hello'), /uses the same account/)
  child.kill()
  await once(child, 'close')
  await t.send('telegram', 'hello')
  assert.equal(t.service.messages.length, 1)
})

test('a gateway that starts waits for a process that only sends', async () => {
  await using t = await open()
  const script = `
    const { claimAccount } = await import(${JSON.stringify(import.meta.resolve('../platforms/token-lock.ts'))})
    const release = await claimAccount('telegram-bot-token', ${JSON.stringify(t.service.token)}, process.env, 'send')
    console.log('held')
    process.stdin.once('data', () => release().then(() => process.exit()))`
  const env = { ...t.all.home.environment, ...compileCache() }
  const child = spawn(process.execPath, ['--conditions=development', '--input-type=module', '-e', script], { env })
  await once(child.stdout, 'data')
  const claimed = claimAccount('telegram-bot-token', t.service.token, env)
  const closed = once(child, 'close')
  child.stdin.write('\n')
  const release = await claimed
  await Promise.all([release(), closed])
})

test('where the gateway runs, it sends what another process has queued, and its chat knows of it', async () => {
  await using t = await open((request) => ({
    text: request.body.tools ? `Heard: ${JSON.stringify(request.body.messages?.map(({ content }) => content))}` : 'T',
  }))
  const { ready } = await configuredPlatforms(t.all.context)
  await using gateway = await startGateway({ agent: t.all.context, platforms: ready })
  t.service.write({ text: 'hi' })
  await t.service.until(() => t.service.messages.length === 1)
  // To the messenger it is the gateway of another process that runs.
  const other = spawn('sleep', ['600'])
  const record = { pid: other.pid, kind: 'hermes-gateway', start_time: startTicks(other.pid ?? 0) }
  await writeFile(t.all.context.home.path('gateway.pid'), JSON.stringify(record))
  const { isMirrored } = await t.send('telegram', 'From beside.')
  other.kill()
  assert.equal(isMirrored, true)
  assert.equal(t.service.messages.at(-1)?.text, 'From beside.')
  t.service.write({ text: 'what do you know?' })
  await t.service.until(() => t.service.messages.some(({ text }) => text.includes('[Delivered from cli] From beside.')))
  assert.equal(gateway.platforms()[0]?.state, 'connected')
})

test('a turn outside the gateway writes to a chat by the tool, and not to strangers', async () => {
  let target = 'telegram'
  await using t = await open((request) => {
    if (!request.body.tools) return { text: 'T' }
    const last = request.body.messages?.at(-1)
    if (last?.role === 'tool') return { text: String(last.content) }
    return { toolCalls: [{ name: 'send_message', arguments: { target, message: 'From a turn' } }] }
  })
  const agent = withMessenger(t.all.context, createOutsideMessenger)
  const turn = async (id: string) => {
    const events = runTurn(
      {
        session: { id, source: 'cli' },
        message: { text: 'go', typedLength: 2 },
        face: { name: 'cli', promptHint: '', decide: nobody },
      },
      agent,
      AbortSignal.timeout(60_000),
    )
    return JSON.stringify(await Array.fromAsync(events))
  }
  assert.match(await turn('a'), /success\\*":true/)
  assert.equal(t.service.messages.at(-1)?.text, 'From a turn')
  target = 'telegram:999'
  assert.match(await turn('b'), /success\\*":false/)
  assert.equal(t.service.messages.length, 1)
})

test('results of jobs come to their chats from a tick, too', async () => {
  await using t = await open(() => ({ text: 'The news.' }))
  const jobs = openJobs(t.all.context)
  const { id } = await jobs.create({ schedule: '0 9 * * *', prompt: 'News', name: 'News', deliver: 'telegram' })
  await jobs.trigger(id)
  const agent = t.all.context
  const [run] = await tick({ agent, delivery: outsideDelivery(agent) }, AbortSignal.timeout(60_000))
  assert.equal(run?.deliveryError, undefined)
  assert.match(t.service.messages.at(-1)?.text ?? '', /The news\./)
})
