import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { signalGroup } from '../../terminals/process-groups.ts'
import { settlesWithin } from '../../terminals/settles-within.ts'
import { McpError } from '../mcp-error.ts'
import type { ServerLog } from '../server-log.ts'
import { MessageLines } from './message-lines.ts'
import { parseMessage } from './parse-message.ts'

/** How long a server gets to end by itself once its input is closed, and after TERM, ms. */
const politeMs = 400
const termMs = 1_000

/** More messages than this within a second that answer nothing: the server floods, and is ended. */
const maxUnasked = 5_000

export interface StdioOptions {
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly log: ServerLog
}

/**
 * A server as a process of ours, JSON-RPC a line each way. It has a process group of its own, which is ended as a whole:
 * a server started through `npx` or a shell is the grandchild. What is no message on its stdout is left out.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #options: StdioOptions
  #child: ChildProcessWithoutNullStreams | undefined
  #ended: Promise<void> = Promise.resolve()
  #closing: Promise<void> | undefined
  #unasked = 0
  #unaskedSince = 0

  constructor(options: StdioOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { server, command, args, env, cwd, log } = this.#options
    const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' })
    this.#child = child
    const started = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    this.#ended = ended.promise
    // However our process ends, the server's does too.
    const killAtExit = () => this.#signal('SIGKILL')
    process.once('exit', killAtExit)
    child.once('spawn', started.resolve)
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'there is no such program in the PATH' : error.message
      started.reject(new McpError('unreachable', `The MCP server ${server} does not start: ${command}: ${why}`))
      ended.resolve()
    })
    child.once('exit', () => {
      process.off('exit', killAtExit)
      // What the leader has left running would hold its pipes open.
      this.#signal('SIGKILL')
      ended.resolve()
      this.onclose?.()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => log.write(text))
    child.stdin.on('error', (error) => this.onerror?.(error))
    this.#read(child)
    await started.promise
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { server } = this.#options
    const stdin = this.#child?.stdin
    if (!stdin?.writable) throw new McpError('unreachable', `The MCP server ${server} is not running.`)
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Closes its input, then TERM, then KILL, each after a while. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const child = this.#child
    if (!child || child.pid === undefined) return
    child.stdin.end()
    await this.#end()
    // Who left the server's group may hold them still.
    child.stdout.destroy()
    child.stderr.destroy()
  }

  async #end(): Promise<void> {
    if (await settlesWithin(this.#ended, politeMs)) return
    this.#signal('SIGTERM')
    if (await settlesWithin(this.#ended, termMs)) return
    this.#signal('SIGKILL')
    await settlesWithin(this.#ended, termMs)
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid
    if (pid !== undefined) signalGroup(pid, signal)
  }

  #read(child: ChildProcessWithoutNullStreams): void {
    const decoder = new StringDecoder('utf8')
    const lines = new MessageLines()
    child.stdout.on('data', (bytes: Buffer) => {
      for (const line of lines.add(decoder.write(bytes))) {
        const message = parseMessage(line)
        if (message && !this.#floods(message)) this.onmessage?.(message)
        if (!message && line.text !== '') this.#options.log.write(`(stdout, no message) ${line.text.slice(0, 200)}\n`)
      }
    })
  }

  #floods(message: JSONRPCMessage): boolean {
    if ('result' in message || 'error' in message) return false
    const now = performance.now()
    if (now - this.#unaskedSince > 1_000) {
      this.#unaskedSince = now
      this.#unasked = 0
    }
    this.#unasked += 1
    if (this.#unasked === maxUnasked) {
      this.onerror?.(new McpError('unreachable', `The MCP server ${this.#options.server} floods; it was ended.`))
      this.#signal('SIGKILL')
    }
    return this.#unasked >= maxUnasked
  }
}
