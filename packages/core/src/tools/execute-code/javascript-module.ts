import type { ScriptTool } from './script-tools.ts'

/** The module `hermes_tools` of JavaScript scripts: requests go over the agent's socket, one line each way. */
export function javascriptModule(tools: readonly ScriptTool[]): string {
  return `${transport}

async function call(tool, args) {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined))
  return JSON.parse(await send({ tool, args: given }))
}

/** Like JSON.parse, for text that may hold control characters. */
export function json_parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return JSON.parse(text.replace(/[\\u0000-\\u001f]/g, (c) => '\\\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')))
  }
}

export function shell_quote(text) {
  return "'" + String(text).replaceAll("'", "'\\\\''") + "'"
}

/** Calls fn until it does not throw; the pause (seconds) doubles each time. */
export async function retry(fn, max_attempts = 3, delay = 2) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await fn()
    } catch (error) {
      if (attempt >= max_attempts - 1) throw error
      await new Promise((resolve) => setTimeout(resolve, delay * 1000 * 2 ** attempt))
    }
  }
}

${tools.map(stub).join('\n\n')}
`
}

/** Takes its arguments one by one, or as one object. */
function stub({ name, parameters }: ScriptTool): string {
  const names = JSON.stringify(parameters.map((parameter) => parameter.name))
  const defaults = JSON.stringify(
    Object.fromEntries(parameters.flatMap((one) => (one.default == null ? [] : [[one.name, one.default]]))),
  )
  return `export function ${name}(...given) {
  const [first] = given
  const isObject = given.length === 1 && typeof first === 'object' && first !== null && !Array.isArray(first)
  const args = isObject ? first : Object.fromEntries(given.map((value, at) => [${names}[at], value]))
  return call('${name}', { ...${defaults}, ...args })
}`
}

const transport = `import { Socket, connect } from 'node:net'
import { createInterface } from 'node:readline'

let connection
let last = Promise.resolve()

async function send(request) {
  const turn = last.then(async () => {
    if (!connection) {
      const fd = process.env.HERMES_RPC_FD
      const socket = fd ? new Socket({ fd: Number(fd) }) : connect(process.env.HERMES_RPC_SOCKET)
      const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
      if (!fd) socket.write(process.env.HERMES_RPC_TOKEN + '\\n')
      connection = { socket, lines }
    }
    connection.socket.ref()
    connection.socket.write(JSON.stringify(request) + '\\n')
    const { value, done } = await connection.lines.next()
    connection.socket.unref()
    if (done) throw new Error('Hermes does not answer any more')
    return value
  })
  last = turn.catch(() => undefined)
  return turn
}`
