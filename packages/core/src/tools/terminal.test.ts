import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Decide } from '../agent/decision.ts'
import { terminal } from './terminal.ts'
import { testSession } from './test-session.ts'

test('a command gives its output and exit code', async () => {
  await using session = await testSession()
  const { json, status } = await session.run(terminal, { command: 'echo hello; echo 数据 >&2' })
  assert.deepEqual(json, { output: 'hello\n数据', exit_code: 0, error: null })
  assert.equal(status, 'ok')
})

test('a command that fails is told with its code, and what that means', async () => {
  await using session = await testSession()
  const failed = await session.run(terminal, { command: 'echo no; exit 3' })
  assert.deepEqual([failed.json, failed.status], [{ output: 'no', exit_code: 3, error: null }, 'error'])
  const unmatched = await session.run(terminal, { command: 'echo a | grep b' })
  assert.equal(unmatched.json.exit_code, 1)
  assert.match(unmatched.json.exit_code_meaning, /no lines matched/)
  assert.equal(unmatched.status, 'ok')
})

test('directory and variables last from call to call, a workdir for one', async () => {
  await using session = await testSession()
  await session.run(terminal, { command: 'mkdir a b && cd a && export X=1' })
  assert.equal((await session.run(terminal, { command: 'pwd', workdir: '../b' })).json.output, join(session.dir, 'b'))
  assert.equal((await session.run(terminal, { command: 'echo $X; pwd' })).json.output, `1\n${join(session.dir, 'a')}`)
  assert.equal(session.context.session.cwd(), join(session.dir, 'a'))
})

test('a workdir that is no plain path, or is not there, is refused', async () => {
  await using session = await testSession()
  for (const workdir of ['/tmp; rm -rf x', '$(ls)', '`ls`', 'a|b', "a'b", 'a\nb']) {
    const { json, status } = await session.run(terminal, { command: 'pwd', workdir })
    assert.match(json.error, /plain path/)
    assert.deepEqual([json.exit_code, json.status, status], [-1, 'error', 'error'])
  }
  assert.match(
    (await session.run(terminal, { command: 'pwd', workdir: 'nowhere' })).json.error,
    /nowhere does not exist/,
  )
  await mkdir(join(session.dir, 'Ünï (1) [目录]'))
  assert.match((await session.run(terminal, { command: 'pwd', workdir: 'Ünï (1) [目录]' })).json.output, /目录\]$/)
})

test('a command that takes too long is killed, and what it said is kept', async () => {
  await using session = await testSession()
  const { json } = await session.run(terminal, { command: 'echo begun; sleep 60', timeout: 3 })
  assert.equal(json.exit_code, 124)
  assert.match(json.output, /^begun\n\[The command did not end within 3 seconds/)
})

test('a foreground command cannot ask for more time than the settings allow', async () => {
  await using session = await testSession()
  const { json } = await session.run(terminal, { command: 'touch ran', timeout: 601 })
  assert.match(json.error, /601 seconds.*at most 600.*background/)
  assert.equal((await session.run(terminal, { command: 'ls' })).json.output, '')
})

test('a long output keeps its head and tail', async () => {
  await using session = await testSession()
  const { json } = await session.run(terminal, { command: 'seq 1 100000' })
  assert.ok(json.output.startsWith('1\n2\n3\n') && json.output.endsWith('\n99999\n100000'))
  assert.match(json.output, /characters left out/)
  assert.ok(json.output.length < 50_200)
})

test('secrets are hidden in output, errors and progress', async () => {
  await using session = await testSession()
  const command = 'printf "%s-%s\\n" hunter2 hunter2; until [ -e seen ]; do sleep 0.05; done; echo end'
  const running = session.run(terminal, { command })
  while (session.progress.length === 0) await wait(20)
  await writeFile(join(session.dir, 'seen'), '')
  const { content } = await running
  assert.ok(!content.includes('hunter2-hunter2') && content.includes('«secret:WORD»'))
  assert.equal(session.progress[0], '«secret:WORD»\n')
  assert.ok(!session.progress.join('').includes('hunter2'))
  const refused = await session.run(terminal, { command: 'ls', workdir: '/hunter2-hunter2' })
  assert.ok(!refused.content.includes('hunter2-hunter2'))
})

test('bytes that are no text are only counted', async () => {
  await using session = await testSession()
  const { json } = await session.run(terminal, { command: 'head -c 3000 /dev/urandom' })
  assert.match(json.output, /^\[binary output, \d+ characters, not shown\]$/)
})

test('a dangerous command is blocked where nobody can be asked, and runs with consent', async () => {
  await using alone = await testSession()
  const blocked = await alone.run(terminal, { command: 'rm -rf x' })
  assert.deepEqual(
    [blocked.status, blocked.json.status, blocked.json.exit_code, blocked.json.output],
    ['denied', 'blocked', -1, ''],
  )
  assert.match(blocked.json.error, /recursive delete.*nobody can be asked/)

  await using asked = await testSession({ decide: async () => ({ kind: 'approval', choice: 'once' }) })
  await mkdir(join(asked.dir, 'x'))
  const allowed = await asked.run(terminal, { command: 'rm -rf x && ls' })
  assert.deepEqual([allowed.json.output, allowed.json.exit_code], ['', 0])
  assert.match(allowed.json.approval, /approved/)
})

test('where a relative path leads is judged from where the command runs', async () => {
  await using session = await testSession()
  const { json } = await session.run(terminal, { command: 'echo x > hosts', workdir: '/etc' })
  assert.match(json.error, /overwrite system or protected file/)
})

test('a cancelled turn ends the command and passes its reason on', async () => {
  const abort = new AbortController()
  await using session = await testSession({ signal: abort.signal })
  const running = session.run(terminal, { command: 'sleep 60' })
  setImmediate(() => abort.abort(new Error('stop')))
  await assert.rejects(running, { message: 'stop' })
})

test('a background command returns at once', async () => {
  await using session = await testSession()
  const { json } = await session.run(terminal, {
    command: 'sleep 60',
    background: true,
    notify_on_complete: true,
    watch_patterns: ['x'],
  })
  assert.match(json.session_id, /^proc_[0-9a-f]{12}$/)
  assert.deepEqual(json, {
    output: 'Background process started',
    session_id: json.session_id,
    pid: json.pid,
    exit_code: 0,
    error: null,
    notify_on_complete: true,
    watch_patterns: ['x'],
  })
  assert.equal(session.context.session.processes.running, 1)
})

test('a token that is read from standard input is not given a pseudo-terminal', async () => {
  await using session = await testSession()
  const command = 'cat # gh auth login --with-token'
  const { json } = await session.run(terminal, { command, background: true, pty: true })
  assert.match(json.pty_note, /token/)
})

test('keys of the agent are not in the environment of commands, except those let through', async () => {
  const environment = { OPENROUTER_API_KEY: 'key-one', GH_TOKEN: 'key-two' }
  await using session = await testSession({ environment, settings: { terminal: { env_passthrough: ['GH_TOKEN'] } } })
  const { json } = await session.run(terminal, { command: 'echo "${OPENROUTER_API_KEY-none} ${GH_TOKEN:+there}"' })
  assert.equal(json.output, 'none there')
})

test('a command with a NUL character is refused', async () => {
  await using session = await testSession()
  assert.match((await session.run(terminal, { command: 'ls \0' })).json.error, /NUL/)
})

test('a script of any kind runs', async () => {
  await using session = await testSession()
  await writeFile(join(session.dir, 'run.sh'), 'echo "$0 $1" > /dev/stderr')
  assert.equal((await session.run(terminal, { command: 'bash run.sh arg' })).json.output, 'run.sh arg')
})

test('a secret that the model has only seen hidden can be used in a command, with consent and without being shown', async () => {
  const secret = 'hunter2-hunter2'
  let asked = ''
  const decide: Decide = async (request) => {
    if (request.kind === 'approval') asked = `${request.subject} | ${request.reason} | ${request.choices.join(' ')}`
    return { kind: 'approval', choice: 'once' }
  }
  await using session = await testSession({ decide })
  const shown = session.context.agent.redactor.redact(secret)
  assert.equal(shown, '«secret:WORD»')
  const { json } = await session.run(terminal, {
    command: `printf '%s' '${shown}' | wc -c; printf '%s' '${shown}' > f`,
  })
  assert.equal(json.output, String(secret.length))
  assert.equal(await readFile(join(session.dir, 'f'), 'utf8'), secret)
  assert.ok(asked.includes(shown) && !asked.includes(secret))
  assert.match(asked, /\| use of a hidden secret \| once session deny$/)

  await using alone = await testSession()
  alone.context.agent.redactor.redact(secret)
  const denied = await alone.run(terminal, { command: `echo '${shown}' > f` })
  assert.match(denied.json.error, /use of a hidden secret/)
  const unknown = await alone.run(terminal, { command: 'echo «secret:abc123»' })
  assert.match(unknown.json.error, /«secret:abc123» is not known any more/)
})
