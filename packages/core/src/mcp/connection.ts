import type { Client, Tool, Transport } from '@modelcontextprotocol/client'
import type { AgentContext } from '../agent/context.ts'
import type { SignInFace } from '../credentials/oauth/flow.ts'
import { ActiveCalls } from './active-calls.ts'
import { cleanText } from './clean-error.ts'
import { Backoff } from './backoff.ts'
import { isGone, mcpFailure, statusOf } from './failure.ts'
import { McpError } from './mcp-error.ts'
import type { ServerAuth } from './oauth/auth-provider.ts'
import { openClient } from './open-client.ts'
import { transports } from './open-transport.ts'
import { SamplingLimits } from './requests/sampling-limits.ts'
import { openServerLog, type ServerLog } from './server-log.ts'
import type { ServerSettings } from './settings.ts'
import { within } from './within.ts'

/** A server that goes away sooner than this after it came up counts as one that does not come up, ms. */
const steadyMs = 5_000

export interface ConnectionOptions {
  readonly server: string
  readonly settings: ServerSettings
  readonly agent: Pick<AgentContext, 'home' | 'environment' | 'clock' | 'log' | 'redactor'>
  readonly cwd: string
  /** The person who can sign in, if there is one. */
  readonly face?: SignInFace | undefined
}

/** What a server is and has. */
export interface ServerFacts {
  readonly tools: readonly Tool[]
  readonly hasResources: boolean
  readonly hasPrompts: boolean
}

interface Open {
  readonly client: Client
  readonly facts: ServerFacts
  readonly sinceMs: number
}

/**
 * The one connection to a server, for all sessions: made when first needed, and again when it was lost. What fails is
 * left alone for a while, longer each time, and answers at once meanwhile.
 */
export class Connection implements AsyncDisposable {
  readonly server: string
  readonly settings: ServerSettings
  readonly calls = new ActiveCalls()
  readonly #options: ConnectionOptions
  readonly #backoff: Backoff
  readonly #limits: SamplingLimits
  readonly #log: ServerLog
  readonly #stop = new AbortController()
  #auth: ServerAuth | undefined
  #open: Open | undefined
  #opening: Promise<Open> | undefined
  #isStale = false
  /** How often in a row it went away soon after it came up. */
  #losses = 0
  #lastFacts: ServerFacts | undefined
  #problem: McpError | undefined

  constructor(options: ConnectionOptions) {
    const { server, settings, agent } = options
    this.server = server
    this.settings = settings
    this.#options = options
    this.#backoff = new Backoff(() => performance.now())
    this.#limits = new SamplingLimits(settings.sampling, () => agent.clock.now())
    this.#log = openServerLog(server, agent)
  }

  /** Why it is not connected, if something went wrong. */
  get problem(): McpError | undefined {
    return this.#problem
  }

  get isConnected(): boolean {
    return this.#open !== undefined
  }

  /** What it had when it was last connected. */
  get lastFacts(): ServerFacts | undefined {
    return this.#lastFacts
  }

  /** Connects where it is not, and tells what the server has now. Throws `McpError`, or the signal's reason. */
  async facts(signal: AbortSignal): Promise<ServerFacts> {
    if (!this.#isStale) return (await this.#ready(signal)).facts
    const { client } = await this.#ready(signal)
    this.#isStale = false
    try {
      return await this.#readFacts(client, signal)
    } catch (error) {
      this.#isStale = true
      throw this.#failed(error, signal)
    }
  }

  /**
   * Does something with the server. Connects again and tries a second time where the server had forgotten us, or wants
   * more of a sign-in: then nothing was done the first time. Throws `McpError`, or the signal's reason.
   */
  async use<Value>(work: (client: Client) => Promise<Value>, signal: AbortSignal): Promise<Value> {
    const open = await this.#ready(signal)
    try {
      return await within(work(open.client), signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(await this.#isWorthAnother(error, open, signal))) throw this.#failed(error, signal)
    }
    const again = await this.#ready(signal)
    try {
      return await within(work(again.client), signal)
    } catch (error) {
      throw this.#failed(error, signal)
    }
  }

  /** Ends it and all that the server started. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException('The connection was closed.', 'AbortError'))
    await this.#opening?.catch(() => undefined)
    await this.#drop()
  }

  async #isWorthAnother(error: unknown, open: Open, signal: AbortSignal): Promise<boolean> {
    if (statusOf(error) === 404 && open.client.transport?.sessionId !== undefined) {
      await this.#drop()
      return true
    }
    const { InsufficientScopeError } = await import('@modelcontextprotocol/client')
    if (!this.#auth || !InsufficientScopeError.isInstance(error)) return false
    await within(this.#auth.stepUp(error), signal)
    return true
  }

  #ready(signal: AbortSignal): Promise<Open> {
    if (this.#open) return Promise.resolve(this.#open)
    if (!this.#opening) {
      const waitMs = this.#backoff.waitMs()
      if (waitMs > 0 && this.#problem) {
        const seconds = Math.ceil(waitMs / 1000)
        return Promise.reject(
          new McpError(
            this.#problem.code,
            `${this.#problem.message}\nIt is tried again in ${seconds} s at the earliest.`,
          ),
        )
      }
      this.#opening = this.#connect().finally(() => (this.#opening = undefined))
    }
    return within(this.#opening, signal)
  }

  async #connect(): Promise<Open> {
    const { agent, face, server, settings } = this.#options
    // A person who signs in takes their time.
    const seconds = settings.connect_timeout + (face && isOauth(settings) ? settings.oauth.timeout : 0)
    const timeout = AbortSignal.timeout(seconds * 1000)
    const signal = AbortSignal.any([this.#stop.signal, timeout])
    try {
      signal.throwIfAborted()
      const client = await this.#openFirst(signal)
      // The library has no other way.
      // oxlint-disable-next-line unicorn/prefer-add-event-listener
      client.onclose = () => this.#lost(client)
      try {
        const facts = await this.#readFacts(client, signal)
        this.#open = { client, facts, sinceMs: agent.clock.now() }
      } catch (error) {
        await client.close()
        throw error
      }
      this.#problem = undefined
      this.#isStale = false
      return this.#open
    } catch (error) {
      const late = `The MCP server ${server} did not come up within ${settings.connect_timeout} s.`
      const tail = cleanText(this.#log.tail(), agent.redactor)
      this.#problem =
        timeout.aborted && !this.#stop.signal.aborted
          ? new McpError('timeout', tail === '' ? late : `${late} It wrote to stderr:\n${tail}`, { cause: error })
          : mcpFailure(error, server, agent.redactor, tail)
      this.#backoff.failed()
      agent.log.warn({ server, code: this.#problem.code, error: this.#problem.message }, 'MCP server not connected')
      throw this.#problem
    }
  }

  /** The first way to the server that works. */
  async #openFirst(signal: AbortSignal): Promise<Client> {
    const { server, settings, agent, cwd } = this.#options
    this.#auth ??= await this.#serverAuth()
    const ways = await transports(
      { server, settings, agent, cwd, serverLog: this.#log, authProvider: this.#auth },
      signal,
    )
    const { mayBeOlder } = await import('./transports/http.ts')
    for (const [index, way] of ways.entries()) {
      const transport = await way()
      try {
        return await this.#handshake(transport, { server, settings, cwd }, signal)
      } catch (error) {
        await transport.close()
        if (index === ways.length - 1 || signal.aborted || !mayBeOlder(error)) throw error
      }
    }
    throw new McpError('unreachable', `There is no way to the MCP server ${server}.`)
  }

  async #handshake(
    transport: Transport,
    options: Pick<ConnectionOptions, 'server' | 'settings' | 'cwd'>,
    signal: AbortSignal,
  ): Promise<Client> {
    const { calls } = this
    const onToolsChanged = () => void (this.#isStale = true)
    const { log } = this.#options.agent
    const opening = openClient(transport, { ...options, calls, limits: this.#limits, log, onToolsChanged }, signal)
    return within(opening, signal)
  }

  async #serverAuth(): Promise<ServerAuth | undefined> {
    const { server, settings, agent, face } = this.#options
    if (!isOauth(settings)) return undefined
    const { ServerAuth } = await import('./oauth/auth-provider.ts')
    const { tokenFiles } = await import('./oauth/token-files.ts')
    const { serverFetch } = await import('./transports/http.ts')
    const now = () => agent.clock.now()
    const files = tokenFiles(agent.home, server, now)
    return new ServerAuth({ server, settings, files, now, face, fetchFn: serverFetch({}), signal: this.#stop.signal })
  }

  async #readFacts(client: Client, signal: AbortSignal): Promise<ServerFacts> {
    const capabilities = client.getServerCapabilities() ?? {}
    const timeout = this.settings.connect_timeout * 1000
    const list = () => client.listTools(undefined, { signal, timeout, cacheMode: 'refresh' })
    const { tools } = capabilities.tools ? await within(list(), signal) : { tools: [] }
    const { resources, prompts } = this.settings.tools
    this.#lastFacts = {
      tools,
      hasResources: resources && capabilities.resources !== undefined,
      hasPrompts: prompts && capabilities.prompts !== undefined,
    }
    if (this.#open) this.#open = { ...this.#open, facts: this.#lastFacts }
    return this.#lastFacts
  }

  /** The server ended it. */
  #lost(client: Client): void {
    const open = this.#open
    if (open?.client !== client) return
    this.#open = undefined
    const { agent, server } = this.#options
    if (this.#stop.signal.aborted) return
    agent.log.info({ server }, 'MCP server went away')
    this.#losses = agent.clock.now() - open.sinceMs >= steadyMs ? 1 : this.#losses + 1
    if (this.#losses === 1) {
      this.#backoff.succeeded()
      return
    }
    this.#problem = new McpError('unreachable', `The MCP server ${server} ended right after it had started.`)
    this.#backoff.failed()
  }

  async #drop(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    await open?.client.close()
  }

  /** What a failed request comes to; a connection that is no more is given up. */
  #failed(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason
    const { server, agent } = this.#options
    const failure = mcpFailure(error, server, agent.redactor)
    if (isGone(error)) void this.#drop()
    return failure
  }
}

function isOauth({ url, auth }: ServerSettings): boolean {
  return url !== '' && auth.toLowerCase() === 'oauth'
}
