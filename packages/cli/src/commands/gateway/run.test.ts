import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'

const program = `
  import { main } from ${JSON.stringify(import.meta.resolve('../../main.ts'))}
  await main(['gateway', ...process.argv.slice(1)])`

/** Starts `hermes gateway run` and waits for a line of what it tells. */
function start(environment: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const own = ['--conditions=development', '--input-type=module', '-e', program]
  const child = spawn(process.execPath, [...own, '--', ...(words.length > 0 ? words : ['run'])], {
    env: { PATH: process.env['PATH'] ?? '', ...compileCache(), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const ended = once(child, 'close').then(([code]) => ({ code: Number(code), told }))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text
    const [, url] = /API server \((http\S+)\)/.exec(told) ?? []
    if (url) resolve(url)
    else if (told.includes('runs for')) resolve('')
  })
  ended.then(() => reject(new Error(told))).catch(reject)
  promise.catch(() => undefined)
  const tells = async (pattern: RegExp) => {
    while (!pattern.test(told)) await once(child.stderr, 'data', { signal: AbortSignal.timeout(30_000) })
  }
  return { url: promise, ended, tells, stop: () => child.kill('SIGTERM'), kill: () => child.kill('SIGKILL') }
}

test('the gateway runs where only the API server is set up, and stops when it is told', async () => {
  await using model = await startScriptedModel(() => ({ text: 'Here.' }))
  await using home = await temporaryHome({
    'config.yaml': `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456}\n`,
    '.env': 'MESSAGING_CWD=~/projects\n',
    'projects/notes.txt': 'x',
  })
  const key = 'made-up-key-of-the-tests'
  const gateway = start({ ...home.environment, API_SERVER_KEY: key, API_SERVER_PORT: '0' })
  const url = await gateway.url
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Are you there?' }] }),
  })
  const body: unknown = await answer.json()
  assert.match(JSON.stringify(body), /Here\./)
  assert.ok(JSON.stringify(model.requests[0]?.body).includes(`Working directory: ${home.path('projects')}`))
  gateway.stop()
  assert.match((await gateway.ended).told, /The gateway has stopped\.\n$/)
})

test('what runs may end, also where it is told to stop twice', async () => {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using model = await startScriptedModel(async () => {
    asked.resolve()
    await released.promise
    return { text: 'Here.' }
  })
  await using home = await temporaryHome({
    'config.yaml': `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456}\n`,
  })
  const key = 'made-up-key-of-the-tests'
  const gateway = start({ ...home.environment, API_SERVER_KEY: key, API_SERVER_PORT: '0' })
  const answer = fetch(`${await gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Are you there?' }] }),
  })
  await asked.promise
  gateway.stop()
  await gateway.tells(/Waiting for what runs/)
  gateway.stop()
  released.resolve()
  assert.match(await (await answer).text(), /Here\./)
  assert.deepEqual((await gateway.ended).code, 0)
})

test('settings that are wrong at the start name their place; those that were right last hold until they are mended', async () => {
  await using model = await startScriptedModel(() => ({ text: 'Here.' }))
  const right = `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456}\n`
  const wrong = `${right}agent:\n  max_turns: many\n`
  await using home = await temporaryHome({ 'config.yaml': wrong })
  const environment = { ...home.environment, API_SERVER_KEY: 'made-up-key-of-the-tests', API_SERVER_PORT: '0' }
  const refused = await start(environment).ended
  assert.notEqual(refused.code, 0)
  assert.match(refused.told, /config\.yaml[^]*3[^]*agent\.max_turns|agent\.max_turns[^]*config\.yaml[^]*3/)
  await writeFile(home.path('config.yaml'), right)
  const good = start(environment)
  await good.url
  good.stop()
  await good.ended
  for (const [at, text] of [wrong, 'model: {default: [\n'].entries()) {
    await writeFile(home.path('config.yaml'), text)
    const gateway = start(environment)
    const url = await gateway.url
    assert.equal((await fetch(`${url}/health`)).status, 200)
    await writeFile(home.path('config.yaml'), `${right}agent: {max_turns: ${7 + at}}\n`)
    await gateway.tells(/hold from now on/)
    gateway.stop()
    assert.match((await gateway.ended).told, /^! [^]*config\.yaml[^]*right last. Mend them/)
  }
})

test('a port that is taken is told, and ends a gateway that has nothing else to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  await using home = await temporaryHome({})
  const gateway = start({ ...home.environment, API_SERVER_ENABLED: 'true', API_SERVER_PORT: port })
  const { code, told } = await gateway.ended
  taken.close()
  assert.equal(code, 1)
  assert.match(told, /Something listens on port \d+ already/)
})

test('scheduled jobs alone keep the gateway running; without any there is nothing to run for', async () => {
  await using home = await temporaryHome({})
  const refused = await start(home.environment).ended
  assert.equal(refused.code, 1)
  assert.match(refused.told, /no scheduled job/)
  const clock = systemClock('UTC')
  await openJobs({ home: openHome(home.environment), clock }).create({ schedule: '0 9 * * *', prompt: 'Say hello' })
  const gateway = start(home.environment)
  await gateway.url
  gateway.stop()
  assert.match((await gateway.ended).told, /runs for scheduled jobs\./)
})

test('"hermes gateway" runs it too; -v shows its log, which tells of a crash and of none before the first start, and -q nothing', async () => {
  await using home = await temporaryHome({})
  const clock = systemClock('UTC')
  await openJobs({ home: openHome(home.environment), clock }).create({ schedule: '0 9 * * *', prompt: 'Say hello' })
  const killed = start(home.environment)
  await killed.url
  assert.ok(!(await readFile(home.path('logs/gateway.log'), 'utf8').catch(() => '')).includes('did not end in order'))
  killed.kill()
  await killed.ended
  const shown = start(home.environment, '-v')
  await shown.url
  shown.stop()
  assert.match((await shown.ended).told, /the last gateway did not end in order[^]*\nThe gateway has stopped\.\n$/)
  const quiet = start(home.environment, 'run', '--quiet')
  while (!(await readFile(home.path('gateway_state.json'), 'utf8')).includes('"running"')) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  quiet.stop()
  assert.deepEqual(await quiet.ended, { code: 0, told: '' })
})

test('what is set up by halves says what is missing; what fails again and again is told once', async () => {
  await using half = await temporaryHome({ '.env': 'SLACK_BOT_TOKEN=xoxb-1\n' })
  const nothing = await start(half.environment).ended
  assert.equal(nothing.code, 1)
  assert.match(nothing.told, /Nothing can run yet\. Slack: it needs SLACK_APP_TOKEN[^]*"hermes gateway setup" asks/)
  await using unread = await temporaryHome({ '.env': 'MOBILE_TOKEN=made\0up\nno assignment\n' })
  const left = await start(unread.environment).ended
  assert.match(left.told, /\.env line 1: MOBILE_TOKEN is ignored/)
  assert.match(left.told, /\.env line 2: sets nothing[^]*No chat platform is set up/)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  await using home = await temporaryHome({
    '.env': `WEBHOOK_ENABLED=true\nWEBHOOK_SECRET=made-up\nWEBHOOK_PORT=${port}\n`,
  })
  const gateway = start(home.environment)
  await gateway.url
  const tries = () => readFile(home.path('gateway_state.json'), 'utf8')
  const first = await tries()
  // The state is written at each try.
  while ((await tries()) === first) await new Promise((resolve) => setTimeout(resolve, 50))
  while (/"connecting"/.test(await tries())) await new Promise((resolve) => setTimeout(resolve, 50))
  gateway.stop()
  const { told } = await gateway.ended
  taken.close()
  assert.equal(told.match(/webhook: retrying/g)?.length, 1, told)
})

test('a gateway in a home where no chat was ever begun gets the bundled skills', async () => {
  await using home = await temporaryHome({
    'bundle/poems/haiku/SKILL.md': '---\nname: haiku\ndescription: Writes a haiku\n---\nWrite one.\n',
  })
  const own = {
    HERMES_BUNDLED_SKILLS: home.path('bundle'),
    API_SERVER_KEY: 'made-up-key-of-the-tests',
    API_SERVER_PORT: '0',
  }
  const gateway = start({ ...home.environment, ...own })
  await gateway.url
  const copied = home.path('skills', 'poems', 'haiku', 'SKILL.md')
  const limit = AbortSignal.timeout(20_000)
  while (!existsSync(copied)) {
    limit.throwIfAborted()
    await new Promise((resolve) => setImmediate(resolve))
  }
  gateway.stop()
  assert.match((await gateway.ended).told, /The gateway has stopped\.\n$/)
  assert.match(await readFile(copied, 'utf8'), /Write one\./)
})
