import assert from 'node:assert/strict'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ScriptedAnswer } from '@hermes/testing'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { openPty } from '@hermes/testing/pty/pty.ts'
import type { Pty, PtyOptions } from '@hermes/testing/pty/pty.ts'
import { hermesFile, runHermes, scriptedConfig } from './run-hermes.ts'

/** The whole program starts in each of these tests, on a machine that may be busy. */
const limit = { timeout: 120_000 }
const waitMs = 60_000

const enter = '\r'
const up = '\u001b[A'
const altEnter = '\u001b\r'
const ctrlC = '\u0003'
const ctrlD = '\u0004'
const ctrlZ = '\u001a'

/** Starts the REPL in a pseudo-terminal and waits for its prompt. */
async function openRepl(
  environment: Readonly<Record<string, string>>,
  { args = [], ...options }: Partial<PtyOptions> & { readonly args?: readonly string[] } = {},
): Promise<Pty> {
  const cwd = environment['HERMES_HOME'] ?? '/'
  const pty = openPty(process.execPath, [hermesFile, ...args], { env: environment, cwd, ...options })
  try {
    await pty.screen.waitFor(/❯|^>$/m, waitMs)
  } catch (error) {
    await pty[Symbol.asyncDispose]()
    throw error
  }
  return pty
}

/** User and system time of a process, see proc_pid_stat(5). */
async function processorTicks(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')
  return Number(fields[11]) + Number(fields[12])
}

const sees = (pty: Pty, wanted: string | RegExp) => pty.screen.waitFor(wanted, waitMs)

test('a command goes through model, tool and screen, and Ctrl-D leaves with a hint how to go on', limit, async () => {
  await using home = await temporaryHome()
  await using pty = await openRepl(home.environment)
  pty.write(`run: echo hello from hermes${enter}`)
  await sees(pty, /┊ terminal {2}echo hello from hermes {2}✓ \d/)
  await sees(pty, /\n❯$/)
  pty.write(ctrlD)
  assert.deepEqual(await pty.exited(waitMs), { code: 0, signal: undefined })
  const hint = /Go on with this session: hermes --resume (\S+)/.exec(pty.screen.text())?.[1] ?? ''
  const listed = await runHermes(['sessions', 'list', '--json'], home.environment)
  assert.match(listed.stdout, new RegExp(hint))
  // The terminal is as it was: paste mode and keyboard protocol off, cursor shown.
  assert.ok(pty.output().lastIndexOf('\u001b[?2004l') > pty.output().lastIndexOf('\u001b[?2004h'))
  assert.ok(pty.output().lastIndexOf('\u001b[?25h') > pty.output().lastIndexOf('\u001b[?25l'))
})

test('an answer is drawn while it streams', limit, async () => {
  const answer = { text: '# Report\n\nThe **first** part.\n\n| a | b |\n|---|---|\n| 1 | 数据库 |\n', chunkDelayMs: 30 }
  await using model = await startScriptedModel((): ScriptedAnswer => answer)
  await using home = await temporaryHome(scriptedConfig(model.url))
  await using pty = await openRepl(home.environment)
  pty.write(`report${enter}`)
  await sees(pty, /❯ report\n\nReport\n/)
  const seen = await sees(pty, /│ 1 │ 数据库 │\n└[^]*\n❯$/)
  assert.match(seen, /The first part\./)
})

test('a chat that waits for its person takes no time of the processor', limit, async () => {
  await using model = await startScriptedModel((): ScriptedAnswer => ({ text: 'Hello.' }))
  await using home = await temporaryHome(scriptedConfig(model.url))
  await using pty = await openRepl(home.environment)
  pty.write(`hi${enter}`)
  await sees(pty, /Hello\.\n[^]*❯$/)
  // The title is asked for when the turn is over.
  await model.arrived(2)
  await model.ended(1)
  await sleep(500)
  const asked = model.requests.length
  // Hundredths of a second, of two seconds each. What is tidied once, some time after the turn, is in one of them.
  const taken: number[] = []
  while (taken.length < 6 && Math.min(...taken) > 2) {
    const before = await processorTicks(pty.pid)
    await sleep(2_000)
    taken.push((await processorTicks(pty.pid)) - before)
  }
  assert.ok(Math.min(...taken) <= 2, `${taken.join(', ')} hundredths of a second`)
  assert.equal(model.requests.length, asked)
})

test('Ctrl-C stops a running command at once and keeps the session', limit, async () => {
  await using home = await temporaryHome()
  await using pty = await openRepl(home.environment)
  pty.write(`run: sleep 30${enter}`)
  await sees(pty, /┊ terminal {2}sleep 30/)
  const from = performance.now()
  pty.write(ctrlC)
  await sees(pty, 'Interrupted.')
  assert.ok(performance.now() - from < 25_000)
  pty.write(`run: echo still here${enter}`)
  await sees(pty, /echo still here {2}✓/)
  pty.write(`/status${enter}`)
  await sees(pty, /Session: \d{8}_\d{6}_[0-9a-f]{6}/)
})

test('what is entered during a turn interrupts it and is sent next', limit, async () => {
  await using home = await temporaryHome()
  await using pty = await openRepl(home.environment)
  pty.write(`run: sleep 30${enter}`)
  await sees(pty, /┊ terminal {2}sleep 30/)
  pty.write(`run: echo instead${enter}`)
  await sees(pty, /Interrupted\.[^]*❯ run: echo instead[^]*echo instead {2}✓/)
})

test('the input history is there after a restart', limit, async () => {
  await using home = await temporaryHome()
  {
    await using pty = await openRepl(home.environment)
    pty.write(`run: echo one${enter}`)
    await sees(pty, /echo one {2}✓[^]*\n❯$/)
    pty.write(`run: echo two${enter}`)
    await sees(pty, /echo two {2}✓[^]*\n❯$/)
    pty.write(up)
    await sees(pty, /\n❯ run: echo two$/)
    pty.write(`${ctrlC}${ctrlC}`)
    await pty.exited(waitMs)
  }
  await using pty = await openRepl(home.environment)
  pty.write(`/status${enter}`)
  await sees(pty, 'Idle.')
  pty.write(up)
  await sees(pty, /\n❯ \/status$/)
  pty.write(up)
  await sees(pty, /\n❯ run: echo two$/)
  pty.write(up)
  await sees(pty, /\n❯ run: echo one$/)
})

test('a message can have several lines', limit, async () => {
  await using model = await startScriptedModel((): ScriptedAnswer => ({ text: 'Understood.' }))
  await using home = await temporaryHome(scriptedConfig(model.url))
  await using pty = await openRepl(home.environment)
  pty.write(`first${altEnter}`)
  pty.write(`second\\${enter}`)
  pty.write('third')
  await sees(pty, /❯ first\n {2}second\n {2}third$/)
  pty.write(enter)
  await sees(pty, 'Understood.')
  assert.equal(model.requests[0]?.body.messages?.at(-1)?.content, 'first\nsecond\nthird')
})

test('the screen is right after the terminal has changed its size, in the middle of a turn too', limit, async () => {
  await using home = await temporaryHome()
  await using pty = await openRepl(home.environment, { columns: 90, rows: 24 })
  pty.write(`run: seq 1 5; sleep 30${enter}`)
  await sees(pty, /┊ terminal/)
  pty.resize(50, 18)
  await sees(pty, /❯ run: seq 1 5; sleep 30\n[^]*Ctrl-C stops\n❯$/)
  pty.resize(110, 30)
  await sees(pty, /❯ run: seq 1 5; sleep 30\n[^]*Ctrl-C stops\n❯$/)
  pty.write(ctrlC)
  const seen = await sees(pty, /Interrupted\.[^]*\n❯$/)
  assert.equal(seen.match(/Interrupted\./g)?.length, 1)
})

test('commands are completed, and explained when they are wrong', limit, async () => {
  await using home = await temporaryHome()
  await using pty = await openRepl(home.environment)
  pty.write(`/status${enter}`)
  await sees(pty, 'Idle.')
  pty.write('/verb')
  await sees(pty, /\/verbose +How much of the tool calls is shown/)
  pty.write('\t')
  await sees(pty, /\n❯ \/verbose$/)
  pty.write(`off${enter}`)
  await sees(pty, 'Tool calls: off')
  pty.write(`/hlep${enter}`)
  await sees(pty, 'There is no command /hlep. Did you mean /help')
})

test('a dangerous command is asked about, and not run when it is denied', limit, async () => {
  await using home = await temporaryHome()
  const precious = home.path('precious')
  await mkdir(precious)
  await using pty = await openRepl(home.environment)
  pty.write(`run: rm -rf ${precious}${enter}`)
  await sees(pty, /Allow this\?[^]*❯ \[d\] Deny[^]*denied in \d+s/)
  pty.write('d')
  await sees(pty, /Denied\./)
  await sees(pty, /⊘ denied/)
  assert.ok((await stat(precious)).isDirectory())
})

test('a dangerous command runs when it is allowed', limit, async () => {
  await using home = await temporaryHome()
  const scrap = home.path('scrap')
  await mkdir(scrap)
  await using pty = await openRepl(home.environment)
  pty.write(`run: rm -rf ${scrap}${enter}`)
  await sees(pty, /denied in \d+s/)
  pty.write('o')
  await sees(pty, /✓ \d[^]*Allowed once\./)
  await assert.rejects(stat(scrap))
})

test('NO_COLOR: everything works, nothing is coloured', limit, async () => {
  await using home = await temporaryHome()
  await using pty = await openRepl({ ...home.environment, NO_COLOR: '1', COLORTERM: 'truecolor' })
  pty.write(`run: echo plain${enter}`)
  await sees(pty, /echo plain {2}✓[^]*\n❯$/)
  assert.equal(pty.screen.isStyled(), false)
  // oxlint-disable-next-line no-control-regex -- styles are escape sequences
  assert.doesNotMatch(pty.output(), /\u001b\[[\d;]*m/)
})

test(
  'a dumb terminal gets plain lines, without any escape sequence, and its Ctrl-C stops the turn',
  limit,
  async () => {
    await using home = await temporaryHome()
    await using pty = await openRepl(home.environment, { term: 'dumb' })
    pty.write(`run: echo plain${enter}`)
    await sees(pty, /terminal {2}echo plain {2}✓[^]*\n>$/)
    pty.write(`run: sleep 30${enter}`)
    await sees(pty, /> run: sleep 30$/)
    pty.write(`/status${enter}`)
    await sees(pty, 'A turn is running')
    pty.write(ctrlC)
    await sees(pty, /Interrupted\.[^]*\n>$/)
    pty.write(`/quit${enter}`)
    assert.equal((await pty.exited(waitMs)).code, 0)
    assert.equal(pty.output().includes('\u001b'), false)
  },
)

test('a signal to stop leaves the terminal as it was and ends the session', limit, async () => {
  await using home = await temporaryHome()
  await using pty = await openRepl(home.environment)
  pty.write(`run: echo one${enter}`)
  await sees(pty, /echo one {2}✓[^]*\n❯$/)
  pty.kill('SIGTERM')
  assert.equal((await pty.exited(waitMs)).code, 143)
  assert.ok(pty.output().lastIndexOf('\u001b[?2004l') > pty.output().lastIndexOf('\u001b[?2004h'))
  const { stdout } = await runHermes(['sessions', 'list', '--json'], home.environment)
  assert.match(stdout, /cli_close/)
})

test('closing the terminal in the middle of a turn ends the session in order', limit, async () => {
  await using home = await temporaryHome()
  await using pty = await openRepl(home.environment)
  pty.write(`run: sleep 30${enter}`)
  await sees(pty, /┊ terminal {2}sleep 30/)
  pty.hangUp()
  await pty.exited(waitMs)
  const { stdout } = await runHermes(['sessions', 'list', '--json'], home.environment)
  assert.match(stdout, /cli_close/)
})

test('Ctrl-Z suspends, and fg goes on where it was', limit, async () => {
  await using home = await temporaryHome()
  const shell = { ...home.environment, PS1: 'sh> ', NODE: process.execPath, HERMES: hermesFile }
  await using pty = openPty('bash', ['--norc', '--noprofile', '-i'], { env: shell, cwd: home.dir })
  await sees(pty, 'sh>')
  pty.write('"$NODE" "$HERMES"\r')
  await sees(pty, /❯$/)
  pty.write('half a thought')
  await sees(pty, /❯ half a thought$/)
  pty.write(ctrlZ)
  await sees(pty, /Stopped[^]*\nsh>$/)
  pty.write('echo in the $((40 + 2)) shell\r')
  await sees(pty, 'in the 42 shell')
  pty.write('fg\r')
  await sees(pty, /\n❯ half a thought$/)
  pty.write(`${ctrlC}${ctrlD}`)
  await sees(pty, /sh>$/)
})

test('a script on standard input is answered line by line on standard output', limit, async () => {
  await using home = await temporaryHome()
  const input = 'run: echo first\n/title From a script\nrun: echo second\n'
  const { stdout, stderr, code } = await runHermes([], home.environment, { input })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /first[^]*Title: From a script\n[^]*second/)
  assert.match(stderr, /terminal {2}echo first {2}✓/)
  assert.equal(stdout.includes('\u001b'), false)
})

test('a resumed session is shown and goes on', limit, async () => {
  await using home = await temporaryHome()
  await runHermes(['-t', 'run: echo earlier'], home.environment)
  await using pty = await openRepl(home.environment, { args: ['-c'] })
  await sees(pty, /❯ run: echo earlier\n[^]*Resumed "run: echo earlier": 1 messages of yours/)
  pty.write(`/retry${enter}`)
  await sees(pty, /Resumed[^]*❯ run: echo earlier[^]*echo earlier {2}✓/)
})
