import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processTool } from './process.ts'
import { terminal } from './terminal.ts'
import { testSession, type TestSession } from './test-session.ts'

async function start(session: TestSession, command: string, more: object = {}): Promise<string> {
  return (await session.run(terminal, { command, background: true, ...more })).json.session_id
}

test('a background process is listed, polled, waited for and read', async () => {
  await using session = await testSession()
  assert.deepEqual((await session.run(processTool, { action: 'list' })).json, { processes: [] })
  const id = await start(session, 'for i in 1 2 3; do echo line $i; done; read x; echo "got $x"; exit 4')
  const [listed] = (await session.run(processTool, { action: 'list' })).json.processes
  assert.deepEqual(
    [listed.session_id, listed.status, listed.cwd, 'exit_code' in listed],
    [id, 'running', session.dir, false],
  )
  assert.match(listed.started_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)

  const waited = await session.run(processTool, { action: 'wait', session_id: id, timeout: 1 })
  assert.equal(waited.json.status, 'timeout')
  assert.match(waited.json.timeout_note, /waited 1 seconds/)
  const sent = await session.run(processTool, { action: 'submit', session_id: id, data: 'it' })
  assert.deepEqual(sent.json, { status: 'ok', bytes_written: 3 })
  const ended = await session.run(processTool, { action: 'wait', session_id: id })
  assert.deepEqual(ended.json, { status: 'exited', output: 'line 1\nline 2\nline 3\ngot it', exit_code: 4 })

  const poll = (await session.run(processTool, { action: 'poll', session_id: id })).json
  assert.deepEqual(
    [poll.session_id, poll.status, poll.exit_code, poll.output_preview],
    [id, 'exited', 4, 'line 1\nline 2\nline 3\ngot it'],
  )
  const log = (await session.run(processTool, { action: 'log', session_id: id, offset: 1, limit: 2 })).json
  assert.deepEqual([log.output, log.total_lines, log.showing], ['line 2\nline 3', 4, '2 lines'])
  const last = (await session.run(processTool, { action: 'log', session_id: id, limit: 1 })).json
  assert.equal(last.output, 'got it')
})

test('a process can be killed once', async () => {
  await using session = await testSession()
  const id = await start(session, 'sleep 60')
  assert.deepEqual((await session.run(processTool, { action: 'kill', session_id: id })).json, {
    status: 'killed',
    session_id: id,
    exit_code: -15,
  })
  assert.equal((await session.run(processTool, { action: 'kill', session_id: id })).json.status, 'already_exited')
  assert.equal(
    (await session.run(processTool, { action: 'write', session_id: id, data: 'x' })).json.status,
    'already_exited',
  )
})

test('closing its input lets a process end', async () => {
  await using session = await testSession()
  const id = await start(session, 'cat; echo done')
  await session.run(processTool, { action: 'write', session_id: id, data: 'text\n' })
  assert.equal((await session.run(processTool, { action: 'close', session_id: id })).json.status, 'ok')
  assert.equal((await session.run(processTool, { action: 'wait', session_id: id })).json.output, 'text\ndone')
  const late = await session.run(processTool, { action: 'close', session_id: id })
  assert.equal(late.json.status, 'already_exited')
})

test('secrets are hidden in everything that is told of a process', async () => {
  await using session = await testSession()
  const id = await start(session, 'echo hunter2-hunter2', { notify_on_complete: true })
  for (const action of ['wait', 'poll', 'log', 'list']) {
    const { content } = await session.run(processTool, { action, session_id: id })
    assert.ok(!content.includes('hunter2-hunter2'), action)
    assert.ok(content.includes('«secret:WORD»'), action)
  }
})

test('waiting is cut at the time that commands get, and ends with the turn', async () => {
  const abort = new AbortController()
  await using session = await testSession({ settings: { terminal: { timeout: 1 } }, signal: abort.signal })
  const id = await start(session, 'sleep 60')
  const { json } = await session.run(processTool, { action: 'wait', session_id: id, timeout: 500 })
  assert.match(json.timeout_note, /the most there is, not 500/)
  const waiting = session.run(processTool, { action: 'wait', session_id: id })
  abort.abort(new Error('stop'))
  await assert.rejects(waiting, { message: 'stop' })
})

test('a process that is not there, or not named, is told', async () => {
  await using session = await testSession()
  const missing = await session.run(processTool, { action: 'poll', session_id: 'proc_000000000000' })
  assert.deepEqual([missing.json.status, missing.status], ['not_found', 'error'])
  assert.match((await session.run(processTool, { action: 'kill' })).json.error, /session_id is required/)
})
