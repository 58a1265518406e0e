import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { temporaryHome } from '@hermes/testing'
import { freePort } from '@hermes/testing/free-ports.ts'
import { openPty } from '@hermes/testing/pty/pty.ts'
import { startTelegram } from '@hermes/testing/telegram/server.ts'
import { gatewayProgram } from './test-program.ts'

/** The whole program starts, on a machine that may be busy. */
const waitMs = 40_000

test(
  'the wizard asks, hides the token, starts the gateway, which outlives the terminal',
  { timeout: 120_000 },
  async () => {
    await using service = await startTelegram()
    await using home = await temporaryHome({
      'config.yaml': `platforms: {telegram: {extra: {base_url: "${service.url}/bot"}}}\n`,
    })
    const gateway = await gatewayProgram(home, { NODE_NO_WARNINGS: '1', TERM: 'xterm' })
    {
      await using pty = openPty(process.execPath, gateway.argv(['setup', 'telegram']), {
        env: gateway.env,
        cwd: home.dir,
      })
      // What is to be done stands below its number, by whole words.
      await pty.screen.waitFor(
        /1\. Write to @BotFather[^\n]* [a-z]+\n {5}[a-z]+[^]*token of @BotFather, not shown:/,
        waitMs,
      )
      pty.write('nonsense\r')
      await pty.screen.waitFor(/a token looks like[^]*not shown:/, waitMs)
      pty.write(`${service.token}\r`)
      await pty.screen.waitFor(/by number \(Enter: none\):/, waitMs)
      pty.write('7\r')
      await pty.screen.waitFor(/who may speak to it, by number[^]*nobody yet\):/, waitMs)
      pty.write('\r')
      await pty.screen.waitFor(/Nobody is named\.[^]*p or o \(p\):/, waitMs)
      pty.write('p\r')
      await pty.screen.waitFor(/✓ Telegram knows it: @\w+[^]*Start the gateway\?/, waitMs)
      assert.ok(!pty.screen.text().includes(service.token))
      pty.write('s\r')
      await pty.screen.waitFor(/✓ The gateway runs \(pid \d+\)/, waitMs)
      await pty.exited(waitMs)
    }
    try {
      assert.match(await readFile(home.path('.env'), 'utf8'), /TELEGRAM_HOME_CHANNEL="?7/)
      assert.doesNotMatch(await readFile(home.path('.env'), 'utf8'), /ALLOW/)
      assert.ok(await findGateway(openHome(home.environment)))
    } finally {
      await gateway.run('stop')
    }
  },
)

test(
  'the API server, which a gateway that runs does not take up, is said to need a restart',
  { timeout: 170_000 },
  async () => {
    await using service = await startTelegram()
    await using home = await temporaryHome({
      'config.yaml': `platforms: {telegram: {extra: {base_url: "${service.url}/bot"}}}\n`,
      '.env': `TELEGRAM_BOT_TOKEN=${service.token}\n`,
    })
    const gateway = await gatewayProgram(home, { NODE_NO_WARNINGS: '1', TERM: 'xterm' })
    const { run } = gateway
    const port = await freePort()
    assert.match((await run('start')).stdout, /The gateway runs/)
    try {
      const other = await run('setup', 'telegram', '--set', 'TELEGRAM_ALLOWED_USERS=7')
      assert.match(other.stderr, /The gateway that runs takes it up by itself/)
      const key = 'API_SERVER_KEY=made-up-key-of-the-tests'
      const { stderr } = await run('setup', 'api_server', '--set', key, '--set', `API_SERVER_PORT=${port}`)
      assert.match(stderr, /takes it up when it is started anew: "hermes gateway restart"/)
      assert.match((await run('start')).stderr, /runs already \(pid \d+\)\. "hermes gateway restart" starts it anew/)
      const before = (await run('status', '--deep')).stdout
      assert.match(before, /API server: \S+ does not answer \(.+\)\n {2}What was set .* after "hermes gateway restart"/)
      await using pty = openPty(process.execPath, gateway.argv(['setup', 'api_server']), {
        env: gateway.env,
        cwd: home.dir,
      })
      for (const question of [/is set\), not shown:/, /address to listen on[^]*:/, /port \(\d+\):/]) {
        await pty.screen.waitFor(question, waitMs)
        pty.write('\r')
      }
      await pty.screen.waitFor(/has to be started anew for it\. Now\? y or n \(y\):/, waitMs)
      pty.write('y\r')
      await pty.screen.waitFor(/✓ The gateway runs anew \(pid \d+\)/, waitMs)
      await pty.exited(waitMs)
      assert.match((await run('status', '--deep')).stdout, /API server: \S+ answers\n/)
    } finally {
      await run('stop')
    }
  },
)
