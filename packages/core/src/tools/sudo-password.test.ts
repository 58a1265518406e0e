import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DecisionRequest } from '../agent/decision.ts'
import { withSudoPassword } from './sudo-password.ts'
import { testSession } from './test-session.ts'

/** A `sudo` that wants `open sesame` once, remembers that, and else does as it is told. */
const fakeSudo = `#!/bin/bash
here=$(dirname "$0")
if [ "$1" = -S ]; then read -r word; [ "$word" = 'open sesame' ] && touch "$here/known"; exit; fi
[ -e "$here/known" ] || { echo 'sudo: a password is required'; exit 1; }
exec "$@"
`

async function withFakeSudo(fn: (path: string) => Promise<void>): Promise<void> {
  const bin = await mkdtemp(join(tmpdir(), 'sudo-test-'))
  try {
    await writeFile(join(bin, 'sudo'), fakeSudo)
    await chmod(join(bin, 'sudo'), 0o755)
    await fn(`${bin}:${process.env['PATH']}`)
  } finally {
    await rm(bin, { recursive: true, force: true })
  }
}

test('a person types the password once a session; commands can use it and cannot read it', () =>
  withFakeSudo(async (PATH) => {
    const asked: DecisionRequest[] = []
    await using session = await testSession({
      environment: { PATH },
      decide: async (request) => {
        asked.push(request)
        return { kind: 'secret', value: 'open sesame', outcome: 'answered' }
      },
    })
    const terminal = await session.context.session.terminal()
    const run = async (command: string) => {
      const { command: prepared, stdin } = await withSudoPassword(command, session.context, false)
      return (
        await terminal.run(prepared, { stdin, timeoutMs: 60_000, maxOutputChars: 1000, signal: session.context.signal })
      ).output
    }
    assert.equal(await run('echo data | sudo cat; sudo cat; cat; set | grep -c "open [s]esame"'), 'data\n0\n')
    assert.equal(await run('sudo echo again && cd /'), 'again\n')
    assert.equal(terminal.cwd, '/')
    assert.deepEqual(
      asked.map(({ kind }) => kind),
      ['secret'],
    )
    assert.ok(!session.context.agent.redactor.redact('it is open sesame').includes('open sesame'))
  }))

test('the password can come from the environment or the settings', async () => {
  await using fromEnvironment = await testSession({ environment: { SUDO_PASSWORD: 'one' } })
  assert.equal((await withSudoPassword('sudo ls', fromEnvironment.context, false)).stdin, 'one\n')
  await using fromSettings = await testSession({ settings: { terminal: { sudo_password: 'two' } } })
  assert.equal((await withSudoPassword('sudo ls', fromSettings.context, false)).stdin, 'two\n')
})

test('where nobody answers, the command stays as it is', async () => {
  await using session = await testSession()
  assert.deepEqual(await withSudoPassword('sudo ls', session.context, false), { command: 'sudo ls' })
})

test('only a real sudo is meant', async () => {
  await using session = await testSession({ environment: { SUDO_PASSWORD: 'x' } })
  for (const command of ['echo sudo', "grep 'sudo ls' x", 'ls # sudo', 'man sudo', './sudo x', 'echo "sudo']) {
    assert.deepEqual(await withSudoPassword(command, session.context, false), { command })
  }
  for (const command of [
    'sudo ls',
    'A=1 sudo ls',
    'ls && sudo ls',
    'ls | sudo tee x',
    '(sudo ls)',
    'if true; then sudo ls; fi',
  ]) {
    assert.ok((await withSudoPassword(command, session.context, false)).stdin, command)
  }
  assert.deepEqual(await withSudoPassword('sudo ls', session.context, true), { command: 'sudo ls' })
})
