import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { temporaryHome } from '@hermes/testing'
import { chosenBefore } from './chosen.ts'
import { gatewayProgram } from './test-program.ts'

const timeout = 170_000

// The webhooks of this home would be taken up if nobody were named.
const config = 'platforms: {webhook: {enabled: true, extra: {host: 127.0.0.1, port: 0, secret: made-up-secret}}}\n'

async function open() {
  const home = await temporaryHome({ 'config.yaml': config, '.env': 'API_SERVER_PORT=0\n' })
  const gateway = await gatewayProgram(home)
  const log = async () => readFile(home.path('logs', 'gateway.out.log'), 'utf8')
  return {
    home,
    ...gateway,
    log,
    async logged(pattern: RegExp) {
      while (!pattern.test(await log())) await wait(50)
    },
    async [Symbol.asyncDispose]() {
      await gateway.run('stop')
      await home[Symbol.asyncDispose]()
    },
  }
}

test(
  'what is named runs alone, the API server also where no setting switches it on, and stays alone over changes',
  { timeout },
  async () => {
    await using all = await open()
    const started = await all.run('start', 'API-server')
    assert.equal(started.code, 0, started.stderr)
    await all.logged(/The gateway runs for the API server \(http:\/\/127\.0\.0\.1:\d+\)/)
    const { stdout } = await all.run('status', '--json')
    const { platforms } = JSON.parse(stdout) as { platforms: object }
    assert.deepEqual(Object.keys(platforms).toSorted(), ['api_server', 'cron'])
    assert.doesNotMatch((await all.run('status', '--deep')).stdout, /API server: not set up/)
    await writeFile(all.home.path('config.yaml'), `${config}agent: {max_turns: 50}\n`)
    await all.logged(/The changed settings hold from now on/)
    assert.doesNotMatch(await all.log(), /Webhooks|After a restart only/)
    const again = await all.run('restart')
    assert.equal(again.code, 0, again.stderr)
    await all.logged(/(?:The gateway runs for the API server[^]*){2}/)
    const other = await all.run('restart', 'webhook')
    assert.equal(other.code, 0, other.stderr)
    await all.logged(/The gateway runs for Webhooks, scheduled jobs/)
  },
)

test('a name that is not set up is told; where nothing else is left, the start fails', { timeout }, async () => {
  await using all = await open()
  const failed = await all.run('start', 'telegram')
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /telegram[^\n]* is not set up\. "hermes gateway setup telegram"/)
  const slip = await all.run('start', 'telegrm', 'whatever')
  assert.match(slip.stderr, /telegrm[^\n]* nothing of that name is set up\. Did you mean telegram\?/)
  assert.match(
    slip.stderr,
    /whatever[^\n]* nothing of that name is set up\. "hermes gateway setup" shows what there is/,
  )
  const partly = await all.run('start', 'webhook', 'telegram')
  assert.equal(partly.code, 0, partly.stderr)
  await all.logged(/! telegram is not used: it is not set up/)
})

test('the names that a gateway was started with are found among its words', () => {
  const words = (text: string) => chosenBefore(text.split(' '))
  assert.deepEqual(words('hermes gateway run api_server telegram --profile work'), ['api_server', 'telegram'])
  assert.deepEqual(words('hermes -p run gateway run -v Webhook --replace'), ['webhook'])
  for (const all of ['hermes gateway run', 'hermes gateway', 'hermes gateway run -v --profile work', '']) {
    assert.equal(words(all), undefined, all)
  }
})
