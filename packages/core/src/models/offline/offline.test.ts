import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectAnswer } from '@hermes/testing'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { attachedText } from '../../context/references/attached-text.ts'
import { hintText } from '../../context/subdirectory-hints-text.ts'
import type { ModelRequest, ToolSchema } from '../model.ts'
import type { ToolCall, TranscriptMessage } from '../transcript.ts'
import { validateTranscript } from '../validate-transcript.ts'
import { createOfflineModel } from './index.ts'

const toolNames = [
  'terminal',
  'read_file',
  'write_file',
  'patch',
  'search_files',
  'todo',
  'memory',
  'session_search',
] as const
const model = createOfflineModel({ howToConnect: 'Set OPENROUTER_API_KEY.' })
const never = new AbortController().signal

function schemas(names: readonly string[]): readonly ToolSchema[] {
  return names.map((name) => ({ name, description: name, parameters: { type: 'object' } }))
}

function request(messages: readonly TranscriptMessage[], names: readonly string[] = toolNames): ModelRequest {
  return { model: 'offline', messages, tools: schemas(names) }
}

function user(content: string): TranscriptMessage {
  return { role: 'user', content }
}

/** The call that an instruction leads to, as a tool's name and its arguments. */
async function callFor(text: string, names?: readonly string[]): Promise<unknown> {
  const { message } = await collectAnswer(model.stream(request([user(text)], names), never))
  const [call] = message.toolCalls
  return call ? [call.name, JSON.parse(call.arguments)] : message.content
}

/** Runs an instruction to its end; each call is answered by `answers`, in order. */
async function converse(text: string, answers: readonly string[], before: readonly TranscriptMessage[] = []) {
  const messages: TranscriptMessage[] = [...before, user(text)]
  const calls: ToolCall[] = []
  for (const content of [...answers, undefined]) {
    assert.equal(validateTranscript(messages), undefined)
    const { message } = await collectAnswer(model.stream(request(messages), never))
    messages.push(message)
    const [call] = message.toolCalls
    if (!call || content === undefined) return { text: message.content, calls }
    calls.push(call)
    messages.push({ role: 'tool', toolCallId: call.id, toolName: call.name, content })
  }
  throw new Error('The conversation does not end.')
}

const understood: readonly [string, string, Record<string, unknown>][] = [
  ['run: echo hello from hermes', 'terminal', { command: 'echo hello from hermes' }],
  ['run echo hi', 'terminal', { command: 'echo hi' }],
  ['RUN: `ls -la | wc -l`', 'terminal', { command: 'ls -la | wc -l' }],
  ['$ git status', 'terminal', { command: 'git status' }],
  ['Please run: echo "a.b."', 'terminal', { command: 'echo "a.b."' }],
  ['Hermes, could you please run: date', 'terminal', { command: 'date' }],
  ['run: cat <<X\na\nX', 'terminal', { command: 'cat <<X\na\nX' }],
  ['run：echo 你好', 'terminal', { command: 'echo 你好' }],
  ['what time is it?', 'terminal', { command: 'date' }],
  ['read notes.txt', 'read_file', { path: 'notes.txt' }],
  ['read the file "my notes.txt"', 'read_file', { path: 'my notes.txt' }],
  ['read 数据/笔记.md lines 10-20', 'read_file', { path: '数据/笔记.md', offset: 10, limit: 11 }],
  ['show me src/main.ts', 'read_file', { path: 'src/main.ts' }],
  ['list files', 'search_files', { pattern: '*', target: 'files', path: '.' }],
  ['list the files in src/tools', 'search_files', { pattern: '*', target: 'files', path: 'src/tools' }],
  ['list folder docs', 'search_files', { pattern: '*', target: 'files', path: 'docs' }],
  ['what files are here?', 'search_files', { pattern: '*', target: 'files', path: '.' }],
  ['find files named *.md in docs', 'search_files', { pattern: '*.md', target: 'files', path: 'docs' }],
  ['search for TODO', 'search_files', { pattern: 'TODO', path: '.' }],
  ['search for f(x) in src', 'search_files', { pattern: String.raw`f\(x\)`, path: 'src' }],
  ['search for /a.+b/ in "my docs"', 'search_files', { pattern: 'a.+b', path: 'my docs' }],
  ['write "hello, world." to out.txt', 'write_file', { path: 'out.txt', content: 'hello, world.\n' }],
  ['write Grüße aus 東京 to ä ö.txt', 'write_file', { path: 'ä ö.txt', content: 'Grüße aus 東京\n' }],
  ['write to a.txt:\none\n  two\n', 'write_file', { path: 'a.txt', content: 'one\n  two\n' }],
  ['create a.txt with hello', 'write_file', { path: 'a.txt', content: 'hello\n' }],
  [
    'replace "old" with "new" in a.txt',
    'patch',
    { mode: 'replace', path: 'a.txt', old_string: 'old', new_string: 'new' },
  ],
  [
    'remember that the server is called atlas.',
    'memory',
    { action: 'add', target: 'memory', content: 'the server is called atlas' },
  ],
  ['Remember: I like tea', 'memory', { action: 'add', target: 'user', content: 'I like tea' }],
  ['forget atlas', 'memory', { action: 'remove', target: 'memory', old_text: 'atlas' }],
  [
    'todo: water the plants',
    'todo',
    { todos: [{ id: '1', content: 'water the plants', status: 'pending' }], merge: true },
  ],
  [
    'add buy milk to my todo list',
    'todo',
    { todos: [{ id: '1', content: 'buy milk', status: 'pending' }], merge: true },
  ],
  ['show todos', 'todo', {}],
  ['done 2', 'todo', { todos: [{ id: '2', status: 'completed' }], merge: true }],
  ['find sessions about 备份', 'session_search', { query: '备份' }],
  ['recent sessions', 'session_search', {}],
]
for (const [text, tool, args] of understood) {
  test(`“${text.replaceAll('\n', '⏎')}” calls ${tool}`, async () => {
    assert.deepEqual(await callFor(text), [tool, args])
  })
}

test('the output of a command is the answer', async () => {
  const output = JSON.stringify({ output: 'hello from hermes\n', exit_code: 0, error: null })
  const { text } = await converse('run: echo hello from hermes', [output])
  assert.equal(text, 'hello from hermes')
})

const outcomes: readonly [string, string, unknown, RegExp][] = [
  ['a failing command', 'run: false', { output: 'oops', exit_code: 3, error: null }, /^oops\n\(exit code 3\)$/],
  ['a silent command', 'run: true', { output: '', exit_code: 0, error: null }, /^\(no output\)$/],
  ['a denied command', 'run: rm -rf /', { output: '', exit_code: -1, error: 'Denied.', status: 'blocked' }, /Denied\./],
  ['a file', 'read a', { content: '     1|one\n     2|two' }, /1\|one\n {5}2\|two/],
  ['a missing file', 'read a', { error: 'File not found: a' }, /did not work: File not found: a/],
  ['a written file', 'write x to a.txt', { bytes_written: 2 }, /Wrote a\.txt \(2 bytes\)/],
  ['a changed file', 'replace a with b in c', { success: true, diff: '-a\n+b' }, /-a\n\+b/],
  [
    'matches',
    'search for x',
    { total_count: 9, matches: [{ path: 'a', line: 3, content: 'x y' }] },
    /a:3: x y\n\(1 of 9\)/,
  ],
  ['no matches', 'search for x', { total_count: 0, matches: [] }, /Nothing found/],
  ['files', 'list files', { total_count: 2, files: ['a', 'b'] }, /^a\nb$/],
  ['a memory', 'remember that x', { success: true, message: 'Entry added.' }, /I will remember that/],
  ['a full memory', 'remember that x', { success: false, error: 'Over the limit.' }, /did not work: Over the limit/],
  ['tasks', 'show todos', { todos: [{ id: '1', content: 'a', status: 'completed' }] }, /^\[x\] 1\. a$/],
  [
    'sessions',
    'find sessions about x',
    { success: true, results: [{ session_id: 's1', when: 'May 1', title: null, summary: 'About x.' }] },
    /- s1 \(May 1\): About x\./,
  ],
]
for (const [what, text, result, expected] of outcomes) {
  test(`the answer tells of ${what}`, async () => {
    assert.match((await converse(text, [JSON.stringify(result)])).text, expected)
  })
}

test('a result with advice after its JSON, and one that is no JSON, are told', async () => {
  const result = `${JSON.stringify({ files: ['a'], total_count: 80 })}\n[Use offset=50 for more]`
  assert.match((await converse('list files', [result])).text, /^a\n\(1 of 80\)$/)
  assert.equal((await converse('list files', ['plain words'])).text, 'plain words')
})

test('what is attached to an instruction is no part of it', async () => {
  const attached = attachedText({ typed: 'run: ls', warnings: ['x'], attached: ['```sh\nrm -rf /\n```'] })
  assert.deepEqual(await callFor(attached), ['terminal', { command: 'ls' }])
})

test('notes of a folder after a result are not told', async () => {
  const result = JSON.stringify({ content: 'alpha' }) + hintText('pkg/AGENTS.md', 'Use {braces}.')
  assert.equal((await converse('read pkg/a.txt', [result])).text, 'alpha')
})

test('each line is an instruction of its own, done in order, and the answer tells of all', async () => {
  const results = ['one', 'two'].map((output) => JSON.stringify({ output, exit_code: 0, error: null }))
  const { text, calls } = await converse('run: echo one\nwhat do you remember?\n\nrun: echo two', results)
  assert.deepEqual(
    calls.map((call) => JSON.parse(call.arguments)),
    [{ command: 'echo one' }, { command: 'echo two' }],
  )
  assert.match(text, /^one\n\nI remember nothing[^]*\n\ntwo$/)
  assert.equal(new Set(calls.map((call) => call.id)).size, 2)
})

test('what is remembered comes from the system prompt and from what was changed since', async () => {
  const rule = '═'.repeat(46)
  const system: TranscriptMessage = {
    role: 'system',
    content: `You are Hermes.\n\n${rule}\nMEMORY (your personal notes) [1%]\n${rule}\nThe server is atlas.\n§\nTwo\nlines.\n\n${rule}\nUSER PROFILE (who the user is) [1%]\n${rule}\nLikes tea.\n\nConversation started: today`,
  }
  const told = await converse('what do you remember?', [], [system])
  assert.equal(told.text, 'This is what I remember:\n- Likes tea.\n- The server is atlas.\n- Two\n  lines.')
  const changed: readonly TranscriptMessage[] = [
    system,
    user('forget atlas'),
    { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'memory', arguments: '{}' }] },
    {
      role: 'tool',
      toolCallId: 'a',
      toolName: 'memory',
      content: JSON.stringify({ target: 'memory', entries: ['New.'] }),
    },
    { role: 'assistant', content: 'Forgotten.', toolCalls: [] },
  ]
  assert.equal(
    (await converse('what do you remember?', [], changed)).text,
    'This is what I remember:\n- Likes tea.\n- New.',
  )
})

test('a new task gets the next number of the list', async () => {
  const list = { todos: [{ id: '3', content: 'x', status: 'pending' }] }
  const before: readonly TranscriptMessage[] = [
    user('show todos'),
    { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'todo', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'a', toolName: 'todo', content: JSON.stringify(list) },
    { role: 'assistant', content: '[ ] 3. x', toolCalls: [] },
  ]
  const { calls } = await converse('todo: y', [JSON.stringify(list)], before)
  assert.equal(JSON.parse(calls[0]?.arguments ?? '').todos[0].id, '4')
})

const schedules: readonly [string, string, string][] = [
  ['every day at 9: run: df -h', '0 9 * * *', 'run: df -h'],
  ['every weekday at 7:30 tell me the news', '30 7 * * 1-5', 'tell me the news'],
  ['every monday at 6 pm, water the plants', '0 18 * * 1', 'water the plants'],
  ['every 15 minutes: run: uptime', 'every 15m', 'run: uptime'],
  ['every hour: run: uptime', '0 * * * *', 'run: uptime'],
  ['daily at 12 am run: date', '0 0 * * *', 'run: date'],
]
for (const [text, schedule, prompt] of schedules) {
  test(`“${text}” is scheduled where there is a scheduler, and told about where there is none`, async () => {
    assert.deepEqual(await callFor(text, ['cronjob']), ['cronjob', { action: 'create', schedule, prompt }])
    assert.deepEqual(await callFor(text, ['use_tool']), [
      'use_tool',
      { name: 'cronjob', arguments: { action: 'create', schedule, prompt } },
    ])
    assert.match(String(await callFor(text)), /scheduler[^]*gateway/)
  })
}

test('only tools that are offered are called, and none when none may be', async () => {
  assert.match(String(await callFor('run: ls', ['read_file'])), /terminal is not available/)
  const none = { ...request([user('run: ls')]), toolChoice: 'none' as const }
  const { message } = await collectAnswer(model.stream(none, never))
  assert.equal(message.toolCalls.length, 0)
})

test('help says what it is, what it understands with these tools, and how to connect a model', async () => {
  for (const text of ['help', 'Hello!', 'what can you do?', 'who are you?']) {
    const told = String(await callFor(text, ['terminal']))
    assert.match(told, /no language model/)
    assert.match(told, /run: ls -la/)
    assert.doesNotMatch(told, /read notes\.txt/)
    assert.match(told, /Set OPENROUTER_API_KEY\./)
  }
})

test('what is no instruction is told plainly', async () => {
  assert.match(String(await callFor('Explain quantum physics to a child')), /no language model[^]*OPENROUTER_API_KEY/)
})

test('answers come word by word and lose nothing, and an abort stops them', async () => {
  const output = '  one\ttwo \n\n三 👩‍👩‍👧 four  '
  const messages: readonly TranscriptMessage[] = [
    user('run: x'),
    { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'terminal', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'a', toolName: 'terminal', content: output },
  ]
  const { events, message } = await collectAnswer(model.stream(request(messages), never))
  assert.equal(message.content, output)
  assert.ok(events.filter((event) => event.type === 'text-delta').length >= 5)

  const abort = new AbortController()
  const reason = new Error('enough')
  const reading = (async () => {
    for await (const event of model.stream(request(messages), abort.signal)) {
      if (event.type === 'text-delta') abort.abort(reason)
    }
  })()
  await assert.rejects(reading, (error) => error === reason)
})

test('any text whatever gets an answer that can be sent on', async () => {
  const property = fc.asyncProperty(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    async (text, result) => {
      await converse(text, [result, result])
    },
  )
  await fc.assert(property, { numRuns: 200 })
})

test('a text that fits no instruction however long it tries is answered at once', async () => {
  const startedAt = processorMs()
  for (const head of ['add ', 'replace ', 'write ', 'search for ', 'what did we talk about ']) {
    for (const body of ['\n', 'a with b in ', ' to ']) await callFor(`${head}${body.repeat(30_000)}!`)
  }
  assert.ok(processorMs() - startedAt < 10_000)
})
