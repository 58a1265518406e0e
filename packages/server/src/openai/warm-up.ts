import type { AgentContext } from '@hermes/core/agent/context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import { rehearseTurn } from '@hermes/core/agent/rehearse-turn.ts'
import { createHttpClient } from '@hermes/core/models/net/http-client.ts'
import { garbageCollector } from '@hermes/core/storage/collect-garbage.ts'
import { requestSchemas } from '@hermes/core/tools/tool-source.ts'
import { readChatRequest } from './chat/chat-request.ts'
import { createApiFace } from './turns/api-face.ts'

export interface WarmUp extends Disposable {
  /** Resolves when it is over, however it went. */
  readonly done: Promise<void>
}

/** When a server that listens is taken to be idle, ms. */
const idleMs = 50

/** What asks others for something is left to the first turn. */
const quietToolsets = ['terminal', 'file', 'web', 'browser', 'memory', 'session_search', 'skills', 'todo', 'cronjob']

/**
 * Does what the first request would wait for, soon after the server listens: code is loaded and compiled, files that
 * prompts are made of are read, tools are measured; the server at `url` is asked once by itself whether it is well. Nothing
 * is stored, and nobody else is asked. Disposing of it ends it.
 */
export function warmUp(agent: AgentContext, url: string): WarmUp {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => void run().finally(resolve), idleMs).unref()
  const ending = new AbortController()

  async function run(): Promise<void> {
    try {
      for (const step of steps(agent, url, ending.signal)) {
        // A request that comes meanwhile waits for one step at most.
        await new Promise((resolve) => setImmediate(resolve))
        if (ending.signal.aborted) return
        await step()
      }
    } catch (error) {
      agent.log.debug({ error: String(error) }, 'the server was not warmed up')
    }
  }

  return {
    done,
    [Symbol.dispose]() {
      ending.abort()
      clearTimeout(timer)
      resolve()
    },
  }
}

const warmId = 'api-warm-up'

function steps(agent: AgentContext, url: string, signal: AbortSignal): readonly (() => unknown)[] {
  const scope = () => agent.scopes.get(warmId)
  const tools = () => agent.tools.load(quietToolsets)
  return [
    () => readChatRequest({ messages: [{ role: 'user', content: 'Hello.' }], model: 'any' }),
    () => agent.redactor.redact('Authorization: none of these words is a key, nor is https://example.com/path one.'),
    tools,
    async () => scope().contextState.meter.request({ model: '', messages: [], tools: requestSchemas(await tools()) }),
    () => agent.sessions.carriedOnBy(warmId),
    // No session has this id, so that nothing is changed.
    () => agent.sessions.suggestTitle(warmId, 'Hello'),
    () => rehearse(agent, signal),
    () => askItself(url, signal),
    // What the start has dropped, and room that nothing needs any more, are a tenth of the memory; V8 does not look for
    // them while little happens.
    () => garbageCollector()({ type: 'major', flavor: 'last-resort' }),
  ]
}

function rehearse(agent: AgentContext, signal: AbortSignal): Promise<unknown> {
  const request = {
    session: { id: warmId, source: 'api_server', isNew: true },
    message: { text: 'Hello.', typedLength: 0 },
    face: createApiFace(nobody),
    toolsets: quietToolsets,
  }
  return rehearseTurn(request, agent, signal)
}

/** By the client that asks models, so that both ends of HTTP have been used. */
async function askItself(url: string, signal: AbortSignal): Promise<void> {
  const limits = { connectMs: 1_000, silenceMs: 1_000, progressMs: 1_000, totalMs: 1_000 }
  const request = { method: 'GET', url: `${url}/health`, headers: {}, limits } as const
  const answer = await createHttpClient({}).send(request, signal)
  try {
    for await (const _piece of answer.body);
  } finally {
    answer.release()
  }
}
