import { mkdir, readFile } from 'node:fs/promises'
import { createContext } from '@hermes/core/agent/create-context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { Decide } from '@hermes/core/agent/decision.ts'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import type { RecordedRequest, ScriptedAnswer } from '../scripted-model/answer.ts'
import { startScriptedModel } from '../scripted-model/server.ts'
import { temporaryHome } from '../temporary-home.ts'

export interface ScriptedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface ScriptedCallsOptions {
  /** `mcp_servers` of `config.yaml`. */
  readonly servers: object
  /** More of `config.yaml`. */
  readonly settings?: object
  readonly environment?: Readonly<Record<string, string>>
  /** What the model answers to who asks it without tools of a turn. */
  readonly sideAnswer?: (request: RecordedRequest) => ScriptedAnswer
}

export interface CallsOfTurn {
  readonly session?: string
  readonly toolsets?: readonly string[]
  readonly decide?: Decide
  readonly signal?: AbortSignal
  /** When the first call has begun. */
  readonly onStart?: () => void
}

/** A profile with MCP servers, and turns whose model makes the calls that a test wants, one after the other. */
export async function scriptedCalls({
  servers,
  settings: more = {},
  environment = {},
  sideAnswer,
}: ScriptedCallsOptions) {
  const plans = new Map<string, readonly ScriptedCall[]>()
  const model = await startScriptedModel((request) => {
    const messages = request.body.messages ?? []
    const text = JSON.stringify(messages)
    const plan = [...plans].find(([marker]) => text.includes(marker))
    if (!plan) return sideAnswer?.(request) ?? { text: 'Side.' }
    const done = messages.filter(({ role }) => role === 'tool').length
    const next = plan[1][done]
    return next ? { toolCalls: [{ name: next.name, arguments: next.args }] } : { text: 'Done.' }
  })
  const settings = {
    model: { default: 'scripted-model', base_url: model.url, api_key: 'made-up-key-123456', context_length: 128_000 },
    mcp_servers: servers,
    tools: { search: 'never' },
    ...more,
  }
  // JSON is YAML too.
  const home = await temporaryHome({ 'config.yaml': JSON.stringify(settings) })
  const work = home.path('work')
  await mkdir(work)
  const context = await createContext({ environment: { ...home.environment, ...environment }, cwd: work })
  let turns = 0
  return {
    home,
    work,
    model,
    context,
    /** Runs one turn of a session of its own; what each call came to, as `status content`. */
    async turn(calls: readonly ScriptedCall[], options: CallsOfTurn = {}): Promise<string[]> {
      const marker = `turn number ${++turns}.`
      const { session = `session-${turns}`, toolsets, decide = nobody, onStart } = options
      plans.set(marker, calls)
      const events: NumberedEvent[] = []
      const request = {
        session: { id: session, source: 'cli' },
        message: { text: `This is ${marker}` },
        face: { name: 'cli', decide },
        ...(toolsets && { toolsets }),
      }
      for await (const event of runTurn(request, context, options.signal ?? new AbortController().signal)) {
        if (event.type === 'tool-start') onStart?.()
        events.push(event)
      }
      plans.delete(marker)
      return events.flatMap((event) => (event.type === 'tool-end' ? [`${event.status} ${event.content}`] : []))
    },
    /** The names of the servers' tools that a session with these toolsets has. */
    async toolNames(toolsets?: readonly string[]): Promise<string[]> {
      const tools = await context.tools.load(toolsets, { id: 'list', platform: 'cli' })
      return [...tools.keys()].filter((name) => name.startsWith('mcp_')).sort()
    },
    /** What is in `logs/agent.log`. */
    log: () => readFile(home.path('logs', 'agent.log'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]()
      await model.close()
      await home[Symbol.asyncDispose]()
    },
  }
}
