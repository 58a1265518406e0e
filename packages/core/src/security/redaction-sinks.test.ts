import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'

/** Secrets of every kind, in text as it is met; the values alone must not turn up anywhere. */
const planted: Readonly<Record<string, { readonly value: string; readonly text: (value: string) => string }>> = {
  'known by its name in .env': { value: 'correct-horse-battery-staple', text: (value) => `the word is ${value}, yes` },
  'a key of known shape': { value: `ghp_${'a1B2c3D4e5'.repeat(4)}`, text: (value) => `clone with ${value}` },
  'a bearer header': { value: 'q8Zr2Lk9Vt4Xw7YbN3mP', text: (value) => `Authorization: Bearer ${value}` },
  'a password in a URL': { value: 'hunter2Hunter2', text: (value) => `postgres://ann:${value}@db.example:5432/shop` },
  'a connection string': { value: 'Zx81QwErTy5678uIoP', text: (value) => `Server=db;User Id=sa;Password=${value};` },
  'by the name of its key': { value: 'k9Lm3Np7Qr5St1Uv', text: (value) => `CLIENT_SECRET=${value}` },
  'in JSON': { value: 'w4Xy8Za2Bc6De0Fg', text: (value) => `{"client_secret": "${value}"}` },
  'a private key': {
    value: 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7',
    text: (value) => `-----BEGIN PRIVATE KEY-----\n${value}\n-----END PRIVATE KEY-----`,
  },
}

const values = Object.values(planted).map(({ value }) => value)
const notes = Object.values(planted)
  .map(({ value, text }) => text(value))
  .join('\n')

/** Ways in which tools bring text in. */
const reading = [
  { name: 'read_file', arguments: { path: 'notes.txt' } },
  { name: 'terminal', arguments: { command: 'cat notes.txt' } },
  { name: 'terminal', arguments: { command: 'cat notes.txt >&2; false' } },
  {
    name: 'terminal',
    arguments: { command: 'for i in 1 2 3; do while read -r line; do printf "%s\\n" "$line"; done < notes.txt; done' },
  },
  { name: 'search_files', arguments: { pattern: '.', path: 'notes.txt' } },
  { name: 'patch', arguments: { mode: 'replace', path: 'notes.txt', old_string: 'yes', new_string: 'no' } },
]

/** Calls with a secret in their arguments. */
const writing = [
  { name: 'read_file', arguments: { path: `missing/${values[1]}` } },
  { name: 'terminal', arguments: { command: `ls /no/${values[1]}; rm -rf /tmp/nothing/${values[1]}` } },
  { name: 'no_such_tool', arguments: { key: values[1] } },
]

/** Every byte of every file below a folder, by path. */
async function filesBelow(dir: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) found.set(path.slice(dir.length + 1), (await readFile(path)).toString('latin1'))
  }
  return found
}

interface Look {
  /** What the model does, one call a step. */
  readonly calls: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[]
  readonly isSink: (path: string) => boolean
}

/** Which secrets stand where after a turn: in files of the home, in events, in what the model was told. */
async function leaksOf({ calls, isSink }: Look) {
  await using all = await startScriptedAgent({
    config: 'logging: {level: debug}\n',
    home: { '.env': `SHOP_API_KEY=${values[0]}\n` },
    work: { 'notes.txt': `${notes}\n` },
    script: (request) => {
      const done = (request.body.messages ?? []).filter(({ role }) => role === 'tool').length
      const call = calls[done]
      return call ? { toolCalls: [call] } : { text: 'It says much.' }
    },
  })
  const events = await all.turn('s', 'Look at the notes.', {
    face: { name: 'cli', decide: async () => ({ kind: 'approval', choice: 'once' }) },
  })
  assert.equal(events.filter(({ type }) => type === 'tool-end').length, calls.length)
  const sinks = new Map([...(await filesBelow(all.home.dir))].filter(([path]) => isSink(path)))
  for (const [index, event] of events.entries()) sinks.set(`event ${index} (${event.type})`, JSON.stringify(event))
  // What the model wrote itself comes back to it as it was; everything that is not its own words is looked at.
  for (const [index, request] of all.model.requests.entries()) {
    const others = (request.body.messages ?? []).filter(({ role }) => role !== 'assistant')
    sinks.set(`request ${index}`, JSON.stringify(others))
  }
  const leaks = [...sinks].flatMap(([sink, text]) =>
    values.filter((value) => text.includes(value)).map((value) => `${value} in ${sink}`),
  )
  return { leaks, last: JSON.stringify(all.model.requests.at(-1)?.body), sinks: [...sinks.keys()] }
}

test('no secret that a tool comes upon reaches the model, an event, the store, an index or a log', async () => {
  const { leaks, last, sinks } = await leaksOf({
    calls: reading,
    // All but the files that the secrets are in to begin with.
    isSink: (path) => path !== '.env' && !path.startsWith('work/'),
  })
  assert.deepEqual(leaks, [])
  assert.match(last, /«secret:SHOP_API_KEY»/)
  assert.ok(sinks.some((sink) => sink.startsWith('state.db')) && sinks.includes('logs/agent.log'))
})

test('a secret that the model itself writes is in no event, log or audit log, nor in what tools say of it', async () => {
  const { leaks, sinks } = await leaksOf({ calls: writing, isSink: (path) => path.startsWith('logs/') })
  assert.deepEqual(leaks, [])
  assert.ok(sinks.includes('logs/audit.jsonl'))
})
