import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { temporaryHome } from '@hermes/testing'
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
      await pty.screen.waitFor(/@BotFather[^]*token of @BotFather, not shown:/, waitMs)
      pty.write('nonsense\r')
      await pty.screen.waitFor(/a token looks like[^]*not shown:/, waitMs)
      pty.write(`${service.token}\r`)
      await pty.screen.waitFor(/by number \(Enter: none\):/, waitMs)
      pty.write('7\r')
      await pty.screen.waitFor(/who may speak to it/, waitMs)
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
