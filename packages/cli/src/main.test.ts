import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { run } from './main.ts'

/** What a wrong command line is told, and its exit code. */
async function complaint(...argv: string[]): Promise<string> {
  let stderr = ''
  const code = await run(argv, {
    environment: {},
    cwd: process.cwd(),
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new Writable({ write: (chunk, _encoding, done) => ((stderr += String(chunk)), done()) }),
    signal: new AbortController().signal,
  })
  assert.equal(code, 2)
  return stderr
}

test('a wrong usage points to the help of the command it is about', async () => {
  assert.match(await complaint('sessions', 'lst'), /Did you mean "list"\?\nTry "hermes sessions --help"\.\n$/)
  assert.match(await complaint('sessions', 'list', '--limit', 'x'), /\nTry "hermes sessions list --help"\.\n$/)
  assert.match(await complaint('config', 'set'), /\nTry "hermes config set --help"\.\n$/)
  assert.match(await complaint('--nonsense'), /\nTry "hermes --help"\.\n$/)
})

test('an option without its value is told which one, and what it takes', async () => {
  assert.match(await complaint('-t'), /^hermes: --task needs a value: --task TEXT \(/)
  assert.match(await complaint('-t', '--json'), /^hermes: --task needs a value: --task TEXT \(/)
  assert.match(await complaint('sessions', 'list', '--limit'), /--limit needs a value: --limit N \(/)
})

test('a mistyped subcommand is recognised where the command also works alone', async () => {
  assert.match(await complaint('config', 'sett'), /unknown command "sett"\. Did you mean "set"\?/)
  assert.match(
    await complaint('gateway', 'frob'),
    /^hermes gateway: unknown command "frob"\. It has: run, start, stop, /,
  )
})

test('an argument too many is told, and nothing is done', async () => {
  const wrong = [
    ['gateway', 'status', 'x'],
    ['gateway', 'unpair', 'telegram', '42', 'x'],
    ['pairing', 'approve', 'telegram', 'ABCD2345', 'x'],
    ['webhook', 'remove', 'deploys', 'x'],
    ['auth', 'status', 'openrouter', 'x'],
  ]
  for (const words of wrong) {
    assert.match(
      await complaint(...words),
      new RegExp(`^hermes ${words.slice(0, 2).join(' ')}: unexpected argument "x"\n`),
    )
  }
})

test('a toolset that is not there is told, with those that are', async () => {
  const told = await complaint('--toolsets', 'file,nope', '-t', ' ')
  assert.match(told, /^! There is no toolset nope; it is left out\. There are: (?=.*\bterminal, )(?=.*\bfile, ).*\n/)
  assert.doesNotMatch(await complaint('--toolsets', 'file,terminal,no_mcp', '-t', ' '), /There is no toolset/)
})

test('words that every object has are unknown commands like any other', async () => {
  for (const word of ['constructor', '__proto__', 'toString']) {
    assert.match(await complaint(word), new RegExp(`^hermes: unknown command "${word}"`))
    assert.match(await complaint('help', word), new RegExp(`there is no command "${word}"`))
  }
})

test('a terminal is never sent the control characters of a wrong argument', async () => {
  for (const argv of [['\u001b]52;c;cHduZWQ=\u0007x\u001b[2J'], ['sessions', 'list', '--\u001b[2Jx']]) {
    const told = await complaint(...argv)
    assert.ok(!told.includes('\u001b') && !told.includes('\u0007'), JSON.stringify(told))
  }
})
