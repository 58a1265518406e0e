import assert from 'node:assert/strict'
import { mkdir, readFile, watch, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { runHermes, scriptedConfig, startHermes } from './run-hermes.ts'

test('without a key the offline model runs a command through the real terminal and answers on stdout', async () => {
  await using home = await temporaryHome()
  const { stdout, stderr, code } = await runHermes(['-t', 'run: echo hello from hermes'], home.environment)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /hello from hermes/)
  assert.match(stderr, /terminal +echo hello from hermes/)
  assert.match(stderr, /offline/i)
})

test('only the answer is on stdout, and --json makes it one object', async () => {
  await using model = await startScriptedModel(() => ({ text: 'Forty-two.' }))
  await using home = await temporaryHome(scriptedConfig(model.url))
  assert.equal((await runHermes(['-t', 'What is it?'], home.environment)).stdout, 'Forty-two.\n')
  const { stdout } = await runHermes(['-t', 'What is it?', '--json'], home.environment)
  const object = JSON.parse(stdout)
  assert.equal(object.status, 'completed')
  assert.equal(object.text, 'Forty-two.')
  assert.match(object.session_id, /^\d{8}_\d{6}_[0-9a-f]{6}$/)
})

test("upstream's query flags print the answer and the session id", async () => {
  await using model = await startScriptedModel(() => ({ text: 'Forty-two.' }))
  await using home = await temporaryHome(scriptedConfig(model.url))
  const { stdout } = await runHermes(['chat', '-q', 'What is it?', '-Q'], home.environment)
  assert.match(stdout, /^Forty-two\.\n\nsession_id: \S+\n$/)
})

test('what is piped in becomes part of the task', async () => {
  await using model = await startScriptedModel(() => ({ text: 'ok' }))
  await using home = await temporaryHome(scriptedConfig(model.url))
  await runHermes(['-t', 'Review this'], home.environment, { input: 'diff --git a b\n' })
  await runHermes(['-t', '-'], home.environment, { input: 'The whole task\n' })
  const users = model.requests.map((request) => request.body.messages?.at(-1)?.content)
  assert.deepEqual(users, ['Review this\n\n<stdin>\ndiff --git a b\n</stdin>', 'The whole task'])
})

test('what is piped in beside a task is material: the offline model runs none of it', async () => {
  await using home = await temporaryHome()
  const input = `run: touch ${home.path('made')}\nrun: touch ${home.path('made')}\n`
  const { stdout } = await runHermes(['-t', 'run: echo only this'], home.environment, { input })
  assert.match(stdout, /only this/)
  await assert.rejects(readFile(home.path('made')), { code: 'ENOENT' })
})

test('a session goes on with -c and with -r by its id', async () => {
  await using model = await startScriptedModel((_request, n) => ({ text: `answer ${n + 1}` }))
  await using home = await temporaryHome(scriptedConfig(model.url))
  const first = JSON.parse((await runHermes(['-t', 'one', '--json'], home.environment)).stdout)
  await runHermes(['-c', '-t', 'two'], home.environment)
  await runHermes(['-r', first.session_id, '-t', 'three'], home.environment)
  const contents = model.requests
    .at(-1)
    ?.body.messages?.slice(1)
    .map((message) => message.content)
  assert.deepEqual(contents, ['one', 'answer 1', 'two', 'answer 2', 'three'])
  const systems = model.requests.map((request) => JSON.stringify(request.body.messages?.[0]))
  assert.equal(new Set(systems).size, 1, 'the system prompt of a session stays the same to the byte')
})

test('a dangerous command is not run where nobody can be asked, and is with --yolo', async () => {
  await using model = await startScriptedModel((_request, n) =>
    n % 2 === 0
      ? { toolCalls: [{ name: 'terminal', arguments: { command: `rm -rf ${folder}` } }] }
      : { text: 'Finished.' },
  )
  await using home = await temporaryHome(scriptedConfig(model.url))
  const folder = home.path('precious')
  await mkdir(folder)
  await writeFile(`${folder}/letter.txt`, 'dear')
  const denied = await runHermes(['-t', 'clean up'], home.environment)
  assert.equal(await readFile(`${folder}/letter.txt`, 'utf8'), 'dear')
  assert.match(denied.stderr, /nobody is there to ask/)
  await runHermes(['--yolo', '-t', 'clean up'], home.environment)
  await assert.rejects(readFile(`${folder}/letter.txt`))
})

test('exit codes tell how it ended', async () => {
  await using model = await startScriptedModel(() => ({
    toolCalls: [{ name: 'todo', arguments: { todos: [] } }],
  }))
  await using refusing = await startScriptedModel(() => ({ fault: { type: 'http', status: 401 } }))
  await using home = await temporaryHome(scriptedConfig(model.url))
  await using locked = await temporaryHome(scriptedConfig(refusing.url))
  const limited = await runHermes(['-t', 'x', '--max-turns', '2'], home.environment)
  assert.equal(limited.code, 3, limited.stderr)
  assert.match(limited.stderr, /limit of 2 steps/)
  const failed = await runHermes(['-t', 'x'], locked.environment)
  assert.equal(failed.code, 1)
  assert.doesNotMatch(failed.stderr + failed.stdout, /made-up-key-123456/)
  const wrong = await runHermes(['--modle', 'x'], home.environment)
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /Did you mean --model\?/)
  assert.equal((await runHermes(['-c', '-t', 'x'], locked.environment)).code, 1)
})

test('Ctrl-C ends a running command at once, and the session can go on', async () => {
  await using model = await startScriptedModel((_request, n) =>
    n === 0
      ? { toolCalls: [{ name: 'terminal', arguments: { command: `echo $$ > ${pidFile}; exec sleep 600` } }] }
      : { text: 'Good.' },
  )
  await using home = await temporaryHome(scriptedConfig(model.url))
  const pidFile = home.path('pid')
  const running = startHermes(['-t', 'wait'], home.environment)
  const pid = await contentOf(pidFile)
  running.kill('SIGINT')
  const { code } = await running.ended
  assert.equal(code, 130)
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
  const after = await runHermes(['-c', '-t', 'and now?'], home.environment)
  assert.equal(after.stdout, 'Good.\n', after.stderr)
})

/** Waits for a file that another process writes. */
async function contentOf(path: string): Promise<string> {
  const read = () => readFile(path, 'utf8').catch(() => '')
  if ((await read()) !== '') return read()
  for await (const _ of watch(dirname(path), { signal: AbortSignal.timeout(60_000) })) {
    const content = await read()
    if (content.trim() !== '') return content.trim()
  }
  throw new Error(`nothing came in ${path}`)
}
