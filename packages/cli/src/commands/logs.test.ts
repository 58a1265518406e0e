import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { temporaryHome, type TemporaryHome } from '@hermes/testing/temporary-home.ts'
import type { Cli } from '../command.ts'
import { parseCommand } from '../parse-arguments.ts'
import { command } from './logs.ts'

const agentLog = `2026-04-13 09:30:00,123 INFO hermes: one
2026-04-13 09:30:01,123 WARNING [s1] gateway.telegram: two \u001b[31m
2026-04-13 09:30:02,123 ERROR tools.terminal: three
  File "x.py", line 3
`

function start(home: TemporaryHome, words: readonly string[]) {
  const stdout = new PassThrough({ highWaterMark: 1_000_000 })
  const stderr = new PassThrough({ highWaterMark: 1_000_000 })
  const ending = new AbortController()
  const cli: Cli = {
    environment: home.environment,
    cwd: home.dir,
    stdin: Readable.from([]),
    stdout,
    stderr,
    signal: ending.signal,
  }
  const parsed = parseCommand(command, words, ['hermes', 'logs'])
  return { stdout, stderr, ending, code: Promise.resolve(parsed.command.run?.(parsed.input, cli)) }
}

async function run(home: TemporaryHome, ...words: readonly string[]): Promise<string> {
  const { stdout, code } = start(home, words)
  assert.equal(await code, 0)
  return String(stdout.read() ?? '')
}

test('logs are shown, filtered and listed, also where the configuration is broken', async () => {
  await using home = await temporaryHome({ 'logs/agent.log': agentLog, 'config.yaml': 'model: [broken' })
  assert.equal((await run(home, '-n', '2')).split('\n').length, 3)
  assert.ok(!(await run(home)).includes('\u001b'), 'nothing of it can steer the terminal')
  assert.match(await run(home, '--component', 'gateway'), /^[^\n]*two[^\n]*\n$/)
  assert.match(await run(home, '--level', 'ERROR'), /^[^\n]*three\n {2}File "x\.py", line 3\n$/)
  assert.match(await run(home, 'agent', '--session', 's1'), /^[^\n]*two[^\n]*\n$/)
  assert.equal(await run(home, '--since', '1h', '--component', 'tools'), '')
  assert.match(await run(home, 'list'), /^agent +1 KiB {2}just now\n$/)
})

test('what is asked for wrongly is told', async () => {
  await using home = await temporaryHome({ 'logs/agent.log': agentLog })
  const wrong: readonly [readonly string[], RegExp][] = [
    [['nothing'], /There are: agent, errors, gateway, list/],
    [['gateway'], /There is no .*gateway\.log yet/],
    [['--since', 'soon'], /30s, 15m, 2h or 3d/],
    [['--component', 'x'], /one of gateway, agent/],
    [['-n', '0'], /whole number/],
    [['agent', 'errors'], /unexpected argument "errors"/],
  ]
  for (const [words, message] of wrong) {
    await assert.rejects(async () => start(home, words).code, message, words.join(' '))
  }
})

test('-f goes on with what is added until it is stopped', async () => {
  await using home = await temporaryHome({ 'logs/agent.log': agentLog })
  const { stdout, ending, code } = start(home, ['-f', '-n', '1', '--component', 'tools'])
  const lines: string[] = []
  const added = (async () => {
    for await (const piece of stdout.setEncoding('utf8')) {
      lines.push(...String(piece).split('\n').filter(Boolean))
      if (lines.length === 1) {
        await appendFile(home.path('logs', 'agent.log'), '2026-04-13 09:31:00,000 INFO cron: no\n')
        await appendFile(home.path('logs', 'agent.log'), '2026-04-13 09:31:00,000 INFO tools: yes\n')
      }
      if (lines.length === 2) return
    }
  })()
  await added
  assert.match(lines[1] ?? '', /INFO tools: yes$/)
  ending.abort()
  assert.equal(await code, 0)
})

test('-f waits for a log that nobody has written to yet', { timeout: 60_000 }, async () => {
  await using home = await temporaryHome({})
  await assert.rejects(async () => start(home, ['gateway']).code, /nothing was written to it/)
  const { stdout, stderr, ending, code } = start(home, ['gateway', '-f'])
  await once(stderr, 'data')
  while (!existsSync(home.path('logs'))) await new Promise((resolve) => setImmediate(resolve))
  await appendFile(home.path('logs', 'gateway.log'), '2026-04-13 09:31:00,000 INFO gateway: here\n')
  const [line] = await once(stdout, 'data')
  assert.match(String(line), /INFO gateway: here\n$/)
  ending.abort()
  assert.equal(await code, 0)
})
