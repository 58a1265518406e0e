import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createContext } from '@hermes/core/agent/create-context.ts'
import type { ContextOptions } from '@hermes/core/agent/create-context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import type { RecordedRequest, Script } from './scripted-model/answer.ts'
import { startScriptedModel } from './scripted-model/server.ts'
import { temporaryHome } from './temporary-home.ts'

export interface ScriptedAgentOptions {
  /** Files of the home, beside `config.yaml`, and of the folder that the agent works in. */
  readonly home?: Readonly<Record<string, string>>
  readonly work?: Readonly<Record<string, string>>
  /** More lines of `config.yaml`. */
  readonly config?: string
  readonly model?: string
  /** Context window of the model, tokens. Default 128,000. */
  readonly contextLength?: number
  readonly script?: Script
  /** How it is opened. */
  readonly context?: Pick<ContextOptions, 'component' | 'observers'>
}

/** A profile with a scripted model and a folder (a git repository's, by its `.git`), ready for turns of many sessions. */
export async function startScriptedAgent(options: ScriptedAgentOptions = {}) {
  const model = await startScriptedModel(options.script ?? (() => ({ text: 'Done.' })))
  const name = options.model ?? 'scripted-model'
  const home = await temporaryHome({
    ...options.home,
    'config.yaml': `model: {default: "${name}", base_url: "${model.url}", api_key: made-up-key-123456, context_length: ${options.contextLength ?? 128_000}}\n${options.config ?? ''}`,
  })
  const work = home.path('work')
  await mkdir(join(work, '.git'), { recursive: true })
  const put = async (file: string, text: string) => {
    await mkdir(dirname(join(work, file)), { recursive: true })
    await writeFile(join(work, file), text)
  }
  for (const [file, text] of Object.entries(options.work ?? {})) await put(file, text)
  const open = () => createContext({ environment: home.environment, cwd: work, ...options.context })
  let context = await open()
  return {
    home,
    work,
    put,
    model,
    get context() {
      return context
    },
    /** Closes the profile and opens it as a new process would. */
    async reopen() {
      await context[Symbol.asyncDispose]()
      context = await open()
    },
    turn(session: string, text: string, more: Partial<TurnRequest> = {}): Promise<NumberedEvent[]> {
      const request: TurnRequest = {
        session: { id: session, source: 'cli' },
        message: { text, typedLength: text.length },
        face: { name: 'cli', promptHint: 'Write Markdown.', decide: nobody },
        ...more,
      }
      return Array.fromAsync(runTurn(request, context, new AbortController().signal))
    },
    /** The system prompts that the model was sent, in order. */
    prompts: () => model.requests.map(promptOf),
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]()
      await model.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** The system prompt of a request. */
export function promptOf(request: RecordedRequest | undefined): string {
  const content = request?.body.messages?.[0]?.content ?? request?.body['instructions']
  return typeof content === 'string' ? content : JSON.stringify(content)
}
