import { systemClock } from '@hermes/core/agent/clock.ts'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { createLearningState } from '@hermes/core/agent/learning.ts'
import type { NumberedEvent, TurnEvent } from '@hermes/core/agent/events.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { ModelError } from '@hermes/core/models/model-error.ts'
import { noUsage } from '@hermes/core/models/model.ts'
import { createRedactor } from '@hermes/core/security/redact.ts'
import type { ProcessNotification } from '@hermes/core/terminals/process-notification.ts'
import { openSqliteSessionStore } from '@hermes/core/sessions/sqlite.ts'

/** An agent for tests of the REPL: real settings, clock and sessions; models named `test/…`; no tools. */
export async function fakeAgent(
  homeDir: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<AgentContext> {
  const home = openHome({ HERMES_HOME: homeDir })
  const clock = systemClock('UTC')
  const scopes = new Map<string, object>()
  const fake: Omit<AgentContext, 'memory' | 'scopes'> = {
    home,
    config: configSchema.parse(settings),
    environment: {},
    clock,
    log: silentLogger,
    redactor: createRedactor({ enabled: true }),
    sessions: await openSqliteSessionStore({ home, clock, log: silentLogger }),
    tools: { load: async () => new Map(), survey: async () => [] },
    models: {
      async resolve(wanted = 'test/default') {
        if (!wanted.startsWith('test/')) throw new ModelError('model-not-found', `There is no model "${wanted}".`)
        const provider = { name: 'test', stream: () => Promise.reject(new Error('not to be called')) as never }
        return { provider, model: wanted.slice('test/'.length), contextLength: 128_000 }
      },
      auxiliary: async () => [],
      rateLimits: () => [],
      delegate: async (_wanted, main) => main,
    },
  }
  const scopesFake = {
    get(id: string) {
      const scope = scopes.get(id) ?? {
        yolo: false,
        cwd: () => '/work',
        workspace: () => '/work',
        learning: createLearningState(),
        processes: fakeProcesses(),
      }
      scopes.set(id, scope)
      return scope
    },
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
  // What the REPL does not touch is left out.
  return { ...fake, scopes: scopesFake } as unknown as AgentContext
}

/** Background commands of which only what they notify of is there: `notify` is what a test calls. */
export function fakeProcesses() {
  const queue: ProcessNotification[] = []
  const listeners = new Set<() => void>()
  return {
    takeNotifications: () => queue.splice(0),
    onNotification(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    notify(notification: ProcessNotification) {
      queue.push(notification)
      for (const listener of listeners) listener()
    },
  }
}

/** What a scripted turn can do. */
export interface ScriptedTurn {
  readonly request: TurnRequest
  readonly signal: AbortSignal
  /** Resolves when the turn is stopped. */
  readonly stopped: Promise<void>
}

type Script = (turn: ScriptedTurn) => AsyncGenerator<TurnEvent, string | void>

/**
 * Turns as `runTurn` yields them: the script's events between `turn-start` and `turn-end`, the message and the answer
 * (what the script returns, or its text) stored. A stopped turn ends as cancelled.
 */
export function scriptedTurns(script: Script) {
  return async function* (
    request: TurnRequest,
    agent: AgentContext,
    signal: AbortSignal,
  ): AsyncGenerator<NumberedEvent> {
    const { session, message } = request
    if (!(await agent.sessions.get(session.id))) await agent.sessions.create({ id: session.id, source: session.source })
    await agent.sessions.append(session.id, { role: 'user', content: message.text })
    let seq = 0
    const numbered = (event: TurnEvent): NumberedEvent => ({ ...event, seq: ++seq })
    yield numbered({ type: 'turn-start', sessionId: session.id, model: 'default', provider: 'test' })
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    let text = ''
    const events = script({ request, signal, stopped })
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (next.value.type === 'text-delta') text += next.value.text
      yield numbered(next.value)
    }
    if (text) {
      yield numbered({ type: 'answer-end', text, toolCalls: 0 })
      await agent.sessions.append(session.id, { role: 'assistant', content: text, toolCalls: [] })
    }
    const status = signal.aborted ? 'cancelled' : 'completed'
    const usage = { ...noUsage, inputTokens: 1200, outputTokens: 34 }
    yield numbered({ type: 'usage', usage, contextTokens: 12_800, contextLength: 128_000 })
    yield numbered({ type: 'turn-end', status, text, usage, modelCalls: 1, durationMs: 4200 })
  }
}
