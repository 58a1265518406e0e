import { execFileSync } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { command } from './completion.ts'

async function scriptFor(shell: string): Promise<string> {
  const stdout = new PassThrough({ encoding: 'utf8' })
  const stdin = new PassThrough()
  const signal = new AbortController().signal
  const cli = { environment: {}, cwd: '/', stdin, stdout, stderr: stdout, signal }
  assert.equal(await command.run?.({ positionals: [shell], options: {} }, cli), 0)
  return String(stdout.read())
}

/** What bash offers for each of some command lines; the last word is the one being written. */
async function offered(...lines: (readonly string[])[]): Promise<string[][]> {
  const asked = lines.map((words) => {
    const quoted = ['hermes', ...words].map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _hermes; echo "\${COMPREPLY[*]}"`
  })
  const script = `${await scriptFor('bash')}\n${asked.join('\n')}\n`
  const lines_ = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).split('\n').slice(0, lines.length)
  return lines_.map((line) => line.split(' ').filter(Boolean))
}

test('bash completes commands below commands, and options after arguments', async () => {
  const [top, sessions, options, after] = await offered(
    ['sess'],
    ['sessions', 'br'],
    ['sessions', 'list', '--so'],
    ['sessions', 'delete', '2026', '--y'],
  )
  assert.deepEqual([top, sessions, options, after], [['sessions'], ['browse'], ['--source'], ['--yes']])
})

test('the value of an option is no command, and is completed where the values are known', async () => {
  const [role, model, past, short] = await offered(
    ['sessions', 'search', '--role', ''],
    ['-m', 's'],
    ['-m', 'config', 'sess'],
    ['-t', 'config', '--js'],
  )
  assert.deepEqual(role, ['user', 'assistant', 'tool', 'system'])
  assert.deepEqual([model, past, short], [[], ['sessions'], ['--json']])
})

test('an argument that is one of some is completed, and so is what there is help for', async () => {
  const [shells, help] = await offered(['completion', 'z'], ['help', 'conf'])
  assert.deepEqual([shells, help], [['zsh'], ['config']])
})
