// A profile with a small window whose model is scripted, and whose tool gives out as much as it is asked for.
import { z } from 'zod'
import { createContext } from '@hermes/core/agent/create-context.ts'
import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { NumberedEvent, TurnEvent } from '@hermes/core/agent/events.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import type { ToolHandle } from '@hermes/core/tools/tool-source.ts'
import { defineTool } from '@hermes/core/tools/tool.ts'
import type { RecordedRequest, Script, ScriptedAnswer, WireMessage } from './scripted-model/answer.ts'
import { startScriptedModel } from './scripted-model/server.ts'
import type { ScriptedModel } from './scripted-model/server.ts'
import { temporaryHome } from './temporary-home.ts'
import { estimateTextTokens } from '@hermes/core/context/token-estimate.ts'

/** Whether a request is for a summary: it shows no tools. */
export function isSummaryRequest({ body }: Pick<RecordedRequest, 'body'>): boolean {
  return (body.tools ?? []).length === 0
}

/** Whether a request looks through a conversation for what memory and skills should keep. */
export function isReviewRequest(request: RecordedRequest): boolean {
  return textOf(request).includes('You look through a conversation')
}

/** Text of a request's messages, as the model reads it. */
export function textOf({ body }: Pick<RecordedRequest, 'body'>): string {
  return (body.messages ?? []).map(textOfMessage).join('\n')
}

export function textOfMessage({ content, tool_calls: calls }: WireMessage): string {
  const text = typeof content === 'string' ? content : content ? JSON.stringify(content) : ''
  return text + (calls ?? []).map((call) => ` ${call.function.name} ${call.function.arguments}`).join('')
}

/** Tokens of a request as this model counts them: a little differently from the estimate. */
export function realTokens(request: Pick<RecordedRequest, 'body'>): number {
  return Math.ceil(1.12 * estimateTextTokens(textOf(request) + JSON.stringify(request.body.tools ?? [])))
}

const dump = defineTool({
  name: 'dump',
  toolset: 'file',
  description: 'Gives out text.',
  input: z.object({ chars: z.number(), mark: z.string().default('') }),
  concurrency: 'parallel',
  preview: ({ chars }) => String(chars),
  run: async ({ chars, mark }) => {
    const line = `${mark} row of output: GET /api/items 200 OK in 12 ms, nothing to see here\n`
    return { content: line.repeat(Math.ceil(chars / line.length)).slice(0, chars) }
  },
})

const dumpHandle: ToolHandle = {
  name: 'dump',
  toolset: 'file',
  concurrency: 'parallel',
  schema: {
    name: 'dump',
    description: 'Gives out text.',
    parameters: { type: 'object', properties: { chars: { type: 'number' }, mark: { type: 'string' } } },
  },
  open: async () => dump,
}

export interface LongConversation extends AsyncDisposable {
  readonly model: ScriptedModel
  readonly context: OpenContext
  readonly events: readonly NumberedEvent[]
  /** Where the conversation is now: it follows compactions, as a face does. */
  readonly sessionId: string
  /** Runs a turn to its end. */
  turn(text: string, more?: Partial<TurnRequest>): Promise<Extract<TurnEvent, { type: 'turn-end' }>>
  ofType<Type extends TurnEvent['type']>(type: Type): Extract<TurnEvent, { type: Type }>[]
}

/** A conversation of one session with a window of `window` tokens. Every answer tells real usage unless it says its own. */
export async function longConversation(
  script: (request: RecordedRequest, n: number) => ScriptedAnswer,
  { window = 32_000, config = '', change = (context: OpenContext) => context } = {},
): Promise<LongConversation> {
  const counted: Script = (request, n) => {
    const tokens = realTokens(request)
    const usage = { prompt_tokens: tokens, completion_tokens: 20, total_tokens: tokens + 20 }
    return { usage, ...script(request, n) }
  }
  const model = await startScriptedModel(counted)
  const home = await temporaryHome({
    'config.yaml': `model: {default: scripted-model, base_url: "${model.url}", api_key: made-up-key-123456, context_length: ${window}}\n${config}`,
  })
  const opened = await createContext({ environment: home.environment, cwd: home.dir })
  const context = change({ ...opened, tools: { ...opened.tools, load: async () => new Map([['dump', dumpHandle]]) } })
  const events: NumberedEvent[] = []
  let sessionId = '20260101_000000_aaaaaa'
  return {
    model,
    context,
    events,
    get sessionId() {
      return sessionId
    },
    async turn(text, more) {
      const request: TurnRequest = {
        session: { id: sessionId, source: 'cli' },
        message: { text },
        face: { name: 'cli', decide: nobody },
        ...more,
      }
      let end: TurnEvent | undefined
      for await (const event of runTurn(request, context, new AbortController().signal)) {
        events.push(event)
        if (event.type === 'compaction') ({ sessionId } = event)
        end = event
      }
      // runTurn ends with one.
      return end as Extract<TurnEvent, { type: 'turn-end' }>
    },
    ofType: (type) => events.filter((event): event is never => event.type === type),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await model.close()
      await home[Symbol.asyncDispose]()
    },
  }
}
