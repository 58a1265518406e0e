import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { ScriptedAgentOptions } from '@hermes/testing/scripted-agent.ts'
import type { Decide } from '../../agent/decision.ts'
import type { NumberedEvent } from '../../agent/events.ts'
import { runTurn } from '../../agent/run-turn.ts'

interface Given extends Pick<ScriptedAgentOptions, 'config' | 'work'> {
  readonly language?: 'python' | 'javascript'
  readonly choice?: 'once' | 'deny'
  readonly environment?: string
}

/** A turn in which the model runs one script, and what it came to. */
async function runCode(code: string, { language = 'python', choice = 'deny', config, work, environment }: Given = {}) {
  await using all = await startScriptedAgent({
    ...(config !== undefined && { config }),
    ...(work && { work }),
    ...(environment !== undefined && { home: { '.env': environment } }),
    script: (request) =>
      (request.body.messages ?? []).some(({ role }) => role === 'tool')
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'execute_code', arguments: { code, language } }] },
  })
  let asked = 0
  const decide: Decide = async () => {
    asked++
    return { kind: 'approval', choice }
  }
  const events = await all.turn('s', 'Go.', { face: { name: 'cli', decide } })
  const end = events.find((event) => event.type === 'tool-end')
  assert.ok(end?.type === 'tool-end')
  const read = (name: string) => readFile(join(all.work, name), 'utf8').catch(() => undefined)
  const stored = await all.context.sessions.messages('s')
  return {
    asked,
    events,
    status: end.status,
    json: JSON.parse(end.content),
    written: await read('out.txt'),
    stored: stored.map(({ message }) => message),
    hasBuild: existsSync(join(all.work, 'build/x')),
  }
}

const languages = ['python', 'javascript'] as const

const useTools = {
  python: `from hermes_tools import read_file, search_files, terminal, write_file, patch, json_parse, shell_quote, retry
notes = read_file("notes.txt")
print("lines:", notes["total_lines"])
print(search_files("moon", target="content")["total_count"])
print(terminal("echo " + shell_quote("it's")) ["output"])
write_file("out.txt", "one\\ntwo\\n")
patch("out.txt", "two", "three")
print(json_parse('{"a": 1}')["a"], retry(lambda: 7))`,
  javascript: `import { read_file, search_files, terminal, write_file, patch, json_parse, shell_quote, retry } from 'hermes_tools'
const notes = await read_file('notes.txt')
console.log('lines:', notes.total_lines)
console.log((await search_files({ pattern: 'moon', target: 'content' })).total_count)
console.log((await terminal('echo ' + shell_quote("it's"))).output)
await write_file('out.txt', 'one\\ntwo\\n')
await patch('out.txt', 'two', 'three')
console.log(json_parse('{"a": 1}').a, await retry(async () => 7))`,
}

for (const language of languages) {
  test(`a ${language} script calls tools; what they answer stays out of the conversation`, async () => {
    const work = { 'notes.txt': 'the moon\nthe sun\n' }
    const { status, json, written, asked, stored } = await runCode(useTools[language], { language, work })
    assert.deepEqual([json.status, json.error, status], ['success', undefined, 'ok'])
    assert.equal(json.output, "lines: 2\n1\nit's\n1 7")
    assert.equal(json.tool_calls_made, 5)
    assert.equal(written, 'one\nthree\n')
    assert.equal(asked, 0)
    const results = stored.filter(({ role }) => role === 'tool')
    assert.equal(results.length, 1)
    assert.ok(!JSON.stringify(results).includes('the sun'))
  })

  test(`a ${language} script that fails gives its errors and exit code`, async () => {
    const code = language === 'python' ? 'print("before")\nprint(1 / 0)' : 'console.log("before"); null.x'
    const { status, json } = await runCode(code, { language })
    assert.deepEqual([status, json.status], ['error', 'error'])
    assert.match(json.output, /^before\n--- stderr ---\n[\s\S]*Error/)
    assert.match(json.error, /exit code 1/)
  })

  test(`a dangerous command in a ${language} script is asked about as if the model had run it`, async () => {
    const code =
      language === 'python'
        ? 'from hermes_tools import terminal\nprint(terminal("rm -rf build")["error"])'
        : 'import { terminal } from "hermes_tools"\nconsole.log((await terminal("rm -rf build")).error)'
    const { asked, json, hasBuild } = await runCode(code, { language, work: { 'build/x': '' } })
    assert.equal(asked, 1)
    assert.match(json.output, /^Blocked/)
    assert.ok(hasBuild)
  })

  test(`a ${language} script that reaches beyond runs with consent and not without`, async () => {
    const code =
      language === 'python'
        ? 'open("out.txt", "w").write("reached")'
        : 'import { writeFileSync } from "node:fs"\nwriteFileSync("out.txt", "reached")'
    const denied = await runCode(code, { language })
    assert.deepEqual([denied.asked, denied.status, denied.written], [1, 'denied', undefined])
    const agreed = await runCode(code, { language, choice: 'once' })
    assert.deepEqual([agreed.asked, agreed.status, agreed.written], [1, 'ok', 'reached'])
  })
}

test('only the listed tools answer, so many times; arguments that would outlive the script are dropped', async () => {
  const code = `from hermes_tools import terminal, read_file
import hermes_tools
for tool in ["todo", "memory", "execute_code", "nothing"]:
    print(hermes_tools._call(tool, {})["error"][:32])
print(hermes_tools._call("terminal", {"command": "echo hi", "background": True})["output"])
for i in range(4):
    last = terminal("true")
print(last["error"])`
  const { json } = await runCode(code, { config: 'code_execution: {max_tool_calls: 4}', choice: 'once' })
  assert.match(json.output, /^(?:\w+ cannot be called.*\n){4}hi\nThe limit of 4 tool calls/)
  assert.equal(json.tool_calls_made, 4)
})

test('a script gets no secrets in its environment, and its output shows none', async () => {
  const environment = 'MY_API_KEY=abcdefgh12345678\nMY_PASSWORD=hunter2hunter2\nPLAIN_SETTING=visible\n'
  const code = 'import os\nprint(sorted(os.environ))\nprint("abcdefgh" + "12345678")'
  const { json } = await runCode(code, { environment, choice: 'once' })
  assert.ok(!/'(?:MY_API_KEY|MY_PASSWORD|PLAIN_SETTING)'/.test(json.output), json.output)
  assert.ok(!json.output.includes('abcdefgh12345678'))
  assert.match(json.output, /'HERMES_RPC_SOCKET'/)
})

test('a script that takes too long is killed with all that it started, and nothing of it is left', async () => {
  const code = 'import subprocess\nprint("begun", flush=True)\nsubprocess.run(["sleep", "600"])'
  const { json } = await runCode(code, { config: 'code_execution: {timeout: 5}', choice: 'once' })
  assert.equal(json.status, 'timeout')
  assert.match(json.output, /^begun/)
  // Other tests run scripts of their own meanwhile.
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith(`hermes-script-${process.pid}-`))
  assert.deepEqual(left, [])
})

test(
  'what a script detached from itself ends with it',
  { skip: process.platform === 'linux' ? false : 'needs /proc' },
  async () => {
    const code = `import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3): os.dup2(null, stream)
        os.execvp("sleep", ["sleep", "600"])
    os._exit(0)
os.wait()
time.sleep(0.3)
print(os.environ["HERMES_RPC_TOKEN"])`
    const { json } = await runCode(code, { choice: 'once', config: 'security: {redact_secrets: false}' })
    const mark = `HERMES_RPC_TOKEN=${json.output.trim()}`
    assert.match(mark, /=\S{16,}$/)
    const environments = readdirSync('/proc').map((pid) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''))
    assert.ok(!(await Promise.all(environments)).some((one) => one.includes(mark)))
  },
)

test('a cancelled turn ends the script and the command that it waits for', async () => {
  const stop = new AbortController()
  await using all = await startScriptedAgent({
    script: () => ({
      toolCalls: [
        {
          name: 'execute_code',
          arguments: { code: 'from hermes_tools import terminal\nterminal("touch begun; exec sleep 600")' },
        },
      ],
    }),
  })
  const events: NumberedEvent[] = []
  const request = { session: { id: 's', source: 'cli' }, message: { text: 'Go.' } }
  const decide: Decide = async () => ({ kind: 'approval', choice: 'deny' })
  for await (const event of runTurn({ ...request, face: { name: 'cli', decide } }, all.context, stop.signal)) {
    events.push(event)
    if (event.type === 'tool-progress' && event.text.startsWith('terminal: ')) stop.abort()
  }
  const last = events.at(-1)
  assert.ok(last?.type === 'turn-end' && last.status === 'cancelled')
})

/** What the look at the words of a script overlooks, the runtime refuses. */
const evasions: Readonly<Record<(typeof languages)[number], readonly string[]>> = {
  python: [
    'import os; os.system("touch reached")',
    'import subprocess; subprocess.run(["touch", "reached"])',
    'open("reached", "w")',
    'open("/etc/passwd").read()',
    'import os; os.mkdir("reached")',
    'import socket; socket.create_connection(("127.0.0.1", 1))',
    'import ctypes; ctypes.CDLL(None).system(b"touch reached")',
  ],
  javascript: [
    'import { writeFileSync } from "node:fs"; writeFileSync("reached", "")',
    'import { readFileSync } from "node:fs"; readFileSync("/etc/passwd")',
    'import { execSync } from "node:child_process"; execSync("touch reached")',
    'new Function("return 1")()',
    'eval("1")',
  ],
}

test('what a script without consent is kept from, it is kept from by its runtime too', async () => {
  const { runScript } = await import('./run-script.ts')
  await using all = await startScriptedAgent({})
  const { testSession } = await import('../test-session.ts')
  await using session = await testSession()
  for (const language of languages) {
    for (const code of evasions[language]) {
      const run = await runScript({ code, language, tools: [], isGuarded: true }, session.context)
      assert.equal(run.status, 'error', code)
      assert.match(run.stderr, /Permission|not allowed|disallowed|ERR_ACCESS_DENIED|EvalError/i, code)
      assert.ok(!existsSync(join(session.dir, 'reached')), code)
    }
  }
  assert.ok(all.work)
})

test('a script that runs again and again does not use up the steps of a turn, but for a bound', async () => {
  await using all = await startScriptedAgent({
    script: (request) =>
      request.body.tool_choice === 'none' || !request.body.tools
        ? { text: 'Enough.' }
        : { toolCalls: [{ name: 'execute_code', arguments: { code: 'print(1)' } }] },
  })
  const events = await all.turn('s', 'Go.', { maxIterations: 3 })
  const last = events.at(-1)
  assert.ok(last?.type === 'turn-end' && last.status === 'incomplete')
  assert.equal(last.modelCalls, 7, 'three, three that were only scripts, and the last word')
})

test('who leaves the group of a script and holds its output keeps neither the answer nor the process waiting', async () => {
  const pipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length
  const before = pipes()
  const code = `import subprocess
print(subprocess.Popen(["sleep", "60"], start_new_session=True).pid)`
  const { json } = await runCode(code, { choice: 'once' })
  try {
    process.kill(Number(/\d+/.exec(json.output)?.[0]), 'SIGKILL')
  } catch (error) {
    // It has been ended already where it was found by its environment.
    assert.ok(error instanceof Error && 'code' in error && error.code === 'ESRCH', String(error))
  }
  assert.equal(json.status, 'success')
  assert.equal(pipes(), before)
})
