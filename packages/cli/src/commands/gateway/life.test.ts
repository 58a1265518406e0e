import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import type { Script } from '@hermes/testing/scripted-model/answer.ts'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { gatewayProgram, pidIn } from './test-program.ts'

const timeout = 170_000

async function open({ script = () => ({ text: 'Here.' }) }: { readonly script?: Script } = {}) {
  const service = await startTelegram()
  const model = await startScriptedModel(script)
  const settings = (more = '') =>
    `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456}
memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}
platforms: {telegram: {extra: {base_url: "${service.url}/bot"}}}\n${more}`
  const home = await temporaryHome({
    'config.yaml': settings(),
    '.env': `TELEGRAM_BOT_TOKEN=${service.token}\nTELEGRAM_ALLOWED_USERS=7\nTELEGRAM_HOME_CHANNEL=7\n`,
  })
  const gateway = await gatewayProgram(home)
  const log = async () => readFile(home.path('logs', 'gateway.out.log'), 'utf8')
  return {
    service,
    home,
    settings,
    ...gateway,
    said: (pattern: RegExp) => service.until(() => service.messages.some(({ text }) => pattern.test(text))),
    log,
    async logged(pattern: RegExp) {
      while (!pattern.test(await log())) await wait(50)
    },
    async [Symbol.asyncDispose]() {
      await gateway.run('stop')
      await service[Symbol.asyncDispose]()
      await model.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('/restart in a chat: the same process is the gateway anew, and the chat is told; once', { timeout }, async () => {
  await using all = await open()
  const pid = pidIn(await all.run('start'))
  all.service.write({ text: '/restart' })
  await all.said(/Starting anew/)
  await all.said(/I am back/)
  assert.equal(pidIn(await all.run('status')), pid)
  all.service.write({ text: 'Are you there?' })
  await all.said(/Here\./)
  assert.equal(all.service.messages.filter(({ text }) => /Starting anew|back/.test(text)).length, 2)
  assert.equal((await all.log()).match(/The gateway runs for/g)?.length, 2)
})

test('changed settings are taken up; wrong ones are told, and those from before stay', { timeout }, async () => {
  await using all = await open()
  const pid = pidIn(await all.run('start'))
  all.service.write({ userId: 9, chatId: 9, text: 'Who am I?' })
  await all.said(/I do not know you yet/)
  await writeFile(all.home.path('config.yaml'), 'agent: {max_turns: many}\n')
  await all.logged(/cannot be used, those from before stay: [\s\S]*max_turns/)
  await writeFile(all.home.path('config.yaml'), all.settings('timezone: Europe/Berlin\n'))
  await all.logged(/hold from now on[\s\S]*After a restart only: timezone/)
  const text = await readFile(all.home.path('.env'), 'utf8')
  await writeFile(all.home.path('.env'), text.replace('USERS=7', 'USERS=7,9'))
  await all.logged(/hold from now on[\s\S]*hold from now on/)
  all.service.write({ userId: 9, chatId: 9, text: 'And now?' })
  await all.said(/Here\./)
  // A hang-up does not end it; without a change nothing reconnects.
  process.kill(pid, 'SIGHUP')
  await all.logged(/No setting has changed/)
  assert.equal((await all.log()).match(/telegram: connected/g)?.length, 1)
  await writeFile(all.home.path('.env'), text.replace(/TELEGRAM_BOT_TOKEN=.*\n/, ''))
  await all.logged(/Telegram is not used any more/)
  await writeFile(all.home.path('.env'), text)
  await all.logged(/Telegram is set up now[\s\S]*telegram: connected/)
  assert.equal(pidIn(await all.run('status')), pid)
})

test(
  'settings that are wrong keep nobody from looking at the gateway, from stopping it or from starting it',
  { timeout },
  async () => {
    await using all = await open()
    const pid = pidIn(await all.run('start'))
    await writeFile(all.home.path('config.yaml'), 'model: {default: [\n')
    for (const [words, said] of [
      [['status'], new RegExp(`The gateway runs \\(pid ${pid}\\)`)],
      [['channels'], /No place is known/],
      [['restart'], /runs anew/],
      [['stop'], /has stopped/],
      [['start'], /The gateway runs \(pid/],
    ] as const) {
      const { code, stdout, stderr } = await all.run(...words)
      assert.deepEqual([words, code], [words, 0])
      assert.match(stdout, said)
      assert.match(stderr, /^! config\.yaml[^]*! Until that is mended, the settings hold that were right last/)
    }
    all.service.write({ text: 'Are you there?' })
    await all.said(/Here\./)
  },
)

test('a turn that outlasts the drain is cut, and its message answered after the next start', { timeout }, async () => {
  let isSlow = true
  await using all = await open({ script: () => ({ text: 'At last.', delayMs: isSlow ? 600_000 : 0 }) })
  await writeFile(all.home.path('config.yaml'), all.settings('agent: {restart_drain_timeout: 1}\n'))
  await all.run('start')
  all.service.write({ text: 'Take your time' })
  await all.service.until(() => all.service.calls.some(({ method }) => method === 'sendChatAction'))
  // Its end would be waited for in vain.
  assert.match((await all.run('stop')).stdout, /has stopped/)
  isSlow = false
  await all.run('start')
  await all.said(/At last\./)
})

test('of many that are started at once one is the gateway, and --replace takes its place', { timeout }, async () => {
  await using all = await open()
  const started = await Promise.all([1, 2, 3].map(() => all.run('start')))
  const [winner, ...others] = started.filter(({ code }) => code === 0)
  assert.ok(winner && others.length === 0, JSON.stringify(started))
  for (const { code, stderr } of started) if (code !== 0) assert.match(stderr, /runs already/)
  const next = await all.run('start', '--replace')
  assert.equal(next.code, 0, next.stderr)
  assert.notEqual(pidIn(next), pidIn(winner))
  assert.equal(pidIn(await all.run('status')), pidIn(next))
  process.kill(pidIn(next), 'SIGKILL')
  assert.equal((await all.run('start')).code, 0)
})

test('it runs where its state cannot be written, and ends with 0 when it is told to', { timeout }, async () => {
  await using all = await open()
  await mkdir(all.home.path('gateway_state.json', 'in-the-way'), { recursive: true })
  const child = spawn(process.execPath, all.argv(['run']), { env: all.env, stdio: ['ignore', 'ignore', 'pipe'] })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
  while (!told.includes('telegram: connected')) {
    assert.equal(child.exitCode, null, told)
    await wait(50)
  }
  all.service.write({ text: 'Are you there?' })
  await all.said(/Here\./)
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number]
  assert.equal(code, 0, told)
  assert.equal((await all.run('start')).code, 0)
  await rm(all.home.path('gateway_state.json'), { recursive: true })
})
