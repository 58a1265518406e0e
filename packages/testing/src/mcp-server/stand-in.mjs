// An MCP server over stdio that does as badly as it is asked to: `MODE` says how it starts, its tools what goes wrong.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const { MODE: mode = '' } = process.env
const waiting = new Map()
let nextId = 1000
let hasExtra = false

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (value, more = {}) => ({ content: [{ type: 'text', text: value }], ...more })
const ask = (method, params) => {
  const id = nextId++
  send({ id, method, params })
  return new Promise((resolve) => waiting.set(id, resolve))
}

const tools = {
  echo: async ({ text: said = '' }) => text(said),
  die: async () => process.exit(1),
  hang: () => new Promise(() => {}),
  garbage: async () => {
    process.stdout.write('not json\n{"jsonrpc":"2.0"}\n[1,2]\n{"jsonrpc": "2.0", "result"\n\n')
    send({ id: 424_242, result: {} })
    return text('still here')
  },
  huge: async ({ chars }) => text('x'.repeat(chars)),
  storm: async ({ count }) => {
    for (let n = 0; n < count; n++) send({ method: 'notifications/tools/list_changed' })
    return text('stormed')
  },
  flood: () => {
    const more = () => {
      for (let n = 0; n < 500; n++) send({ method: 'notifications/tools/list_changed' })
      setImmediate(more)
    }
    more()
    return new Promise(() => {})
  },
  family: async () => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' })
    return text(`${process.pid} ${child.pid}`)
  },
  environment: async () => text(JSON.stringify(process.env)),
  leak: async () => text('failed with ghp_abcdef123456 and Bearer abc.def and password=hunter2', { isError: true }),
  secret_error: async () => {
    throw new Error('bad api_key=sk-live-123456')
  },
  grow: async () => {
    hasExtra = true
    send({ method: 'notifications/tools/list_changed' })
    return text('grown')
  },
  ask_person: async (params) => text(JSON.stringify(await ask('elicitation/create', params))),
  ask_model: async (params) => text(JSON.stringify(await ask('sampling/createMessage', params))),
  'delete-all': async () => text('deleted'),
  delete_nothing: async () => text('nothing deleted'),
}

const annotations = {
  delete_nothing: { readOnlyHint: true },
  echo: { readOnlyHint: true },
  hang: { readOnlyHint: true },
}

const methods = {
  initialize: async ({ protocolVersion }) => {
    if (mode === 'hang-at-start') await new Promise(() => {})
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'stand-in', version: '1' },
    }
  },
  'tools/list': async () => ({
    tools: [...Object.keys(tools), ...(hasExtra ? ['extra'] : [])].map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties: {} },
      ...(annotations[name] && { annotations: annotations[name] }),
    })),
  }),
  'tools/call': ({ name, arguments: args = {} }) => tools[name](args),
  ping: async () => ({}),
}

if (mode === 'die-at-start') {
  process.stderr.write('cannot read the token=abcdefgh\nthe configuration is missing\n')
  process.exit(3)
}
if (mode === 'stubborn') {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
}

const lines = createInterface({ input: process.stdin })
if (mode !== 'stubborn') lines.on('close', () => process.exit())
lines.on('line', async (line) => {
  const { id, method, params = {}, result, error } = JSON.parse(line)
  if (method === undefined) {
    waiting.get(id)?.(result ?? { error })
    return
  }
  if (id === undefined) return
  try {
    send({ id, result: await methods[method](params) })
  } catch (failure) {
    send({ id, error: { code: -32_603, message: failure.message } })
  }
})
