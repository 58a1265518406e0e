import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@hermes/core/agent/clock.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { Clients } from './clients.ts'
import { createDraft } from './draft.ts'
import { baseEvent, draftMark } from './run.ts'
import type { Run, RunOutcome, ToolEvent } from './run.ts'
import type { StoredRun, StoredRuns } from './store/stored-runs.ts'
import { timestamp } from './timestamp.ts'

/** Tools of so many conversations are remembered after their run, and so many of each. */
const [maxRemembered, maxTools] = [200, 200]

export interface RunsOptions {
  readonly clients: Clients
  readonly stored: StoredRuns
  readonly clock: Clock
  readonly log: Logger
  /** What of a text may leave the machine. */
  readonly redact: (text: string) => string
  /** A run has ended. */
  readonly onEnd: (conversationId: string) => void
}

/** The runs that go on, and the one place where their events are made: their order holds here. */
export interface Runs {
  /** The run of a conversation. */
  active(conversationId: string): Run | undefined
  all(): readonly Run[]
  /** The run that answers an event. */
  ofEvent(eventId: string): Run | undefined
  ofDraft(messageId: string): Run | undefined
  /** Makes a run that clients do not know of yet; there is none in the conversation. */
  make(conversationId: string, text: string, requestId: string | undefined): Run
  /** Takes a run up again that was accepted before a restart. */
  resume(stored: StoredRun): Run
  /** Makes one that no request asked for, and tells of it. */
  unasked(conversationId: string, eventId: string): Run
  /** Tells that it was taken; once. */
  accept(run: Run): void
  tool(run: Run, event: Omit<ToolEvent, 'type' | 'conversation_id' | 'run_id' | 'ts'>): void
  /** The answer takes the place of the draft. */
  complete(run: Run, text: string, kind?: 'notice'): void
  /** Ends it; once. */
  finish(run: Run, outcome: RunOutcome): void
  /** Ends it without a word: its conversation is gone. */
  drop(run: Run): void
  /** The latest events of the tools of the run that goes on, or of the last one. */
  tools(conversationId: string): readonly ToolEvent[]
  /** Stops all timers. */
  stop(): void
}

export function createRuns({ clients, stored, clock, log, redact, onEnd }: RunsOptions): Runs {
  const open = new Map<string, Run>()
  const remembered = new Map<string, readonly ToolEvent[]>()
  const now = () => timestamp(clock.now())
  const find = (is: (run: Run) => boolean) => [...open.values()].find(is)

  function add(run: StoredRun, requestId?: string): Run {
    const { conversationId } = run
    const messageId = `${draftMark}${run.runId}`
    const draft = createDraft((text) =>
      clients.broadcast({
        type: 'message.delta',
        conversation_id: conversationId,
        message_id: messageId,
        text: redact(text),
        ts: now(),
      }),
    )
    const made: Run = {
      ...run,
      messageId,
      requestId,
      isAccepted: false,
      hasBegun: false,
      isCommand: false,
      draft,
      final: undefined,
      tools: new Map(),
      delivered: 0,
      expected: undefined,
      outcome: undefined,
      cancelling: undefined,
      isOver: false,
    }
    open.set(run.runId, made)
    return made
  }

  function close(run: Run): void {
    run.isOver = true
    run.draft.stop()
    open.delete(run.runId)
    stored.end(run.runId).catch((error: unknown) => {
      log.error({ error: String(error) }, 'the end of a run cannot be stored')
    })
  }

  const runs: Runs = {
    active: (conversationId) => find((run) => run.conversationId === conversationId),
    all: () => [...open.values()],
    ofEvent: (eventId) => find((run) => run.eventId === eventId) ?? find((run) => run.eventId === baseEvent(eventId)),
    ofDraft: (messageId) => find((run) => run.messageId === messageId),
    make(conversationId, text, requestId) {
      const runId = randomBytes(16).toString('hex')
      return add({ runId, eventId: runId, conversationId, text, startedAt: clock.now() }, requestId)
    },
    resume(run) {
      const resumed = add(run)
      resumed.isAccepted = true
      return resumed
    },
    unasked(conversationId, eventId) {
      // The same event has the same run also after a restart.
      const runId = createHash('sha256').update(`${conversationId}\n${eventId}`).digest('hex').slice(0, 32)
      const run = add({ runId, eventId, conversationId, text: undefined, startedAt: clock.now() })
      stored.begin(run).catch((error: unknown) => log.error({ error: String(error) }, 'a run cannot be stored'))
      runs.accept(run)
      return run
    },
    accept(run) {
      if (run.isAccepted || run.isOver) return
      run.isAccepted = true
      const ids = { conversation_id: run.conversationId, run_id: run.runId }
      clients.broadcast({
        type: 'run.accepted',
        ...ids,
        ...(run.requestId !== undefined && { request_id: run.requestId }),
      })
      clients.broadcast({ type: 'message.start', ...ids, message_id: run.messageId })
    },
    tool(run, event) {
      const told = {
        type: 'tool.event',
        conversation_id: run.conversationId,
        run_id: run.runId,
        ...event,
        ts: now(),
      } as const
      run.tools.set(event.tool_call_id, told)
      clients.broadcast(told)
    },
    complete(run, text, kind) {
      if (run.isOver) return
      runs.accept(run)
      run.draft.stop()
      // Parts of an answer beyond the first are messages of their own.
      const isFirst = run.final === undefined
      const messageId = isFirst ? run.messageId : `${run.messageId}-${run.delivered}`
      run.final = isFirst ? text : `${run.final}\n\n${text}`
      clients.broadcast({
        type: 'message.complete',
        conversation_id: run.conversationId,
        message_id: messageId,
        text,
        ...(kind && { kind }),
        ts: now(),
      })
    },
    finish(run, { status, notice }) {
      if (run.isOver) return
      runs.accept(run)
      for (const { tool_call_id, tool_name, status: last } of run.tools.values()) {
        if (last === 'running') runs.tool(run, { tool_call_id, tool_name, status: 'cancelled', duration_ms: null })
      }
      if (status !== 'cancelled' && run.final === undefined) {
        if (status === 'failed' && notice !== undefined) runs.complete(run, notice, 'notice')
        else runs.complete(run, redact(run.draft.text()))
      }
      close(run)
      remembered.delete(run.conversationId)
      remembered.set(run.conversationId, [...run.tools.values()].slice(-maxTools))
      if (remembered.size > maxRemembered) {
        for (const oldest of remembered.keys()) {
          remembered.delete(oldest)
          break
        }
      }
      const requestId = status === 'cancelled' ? run.cancelling?.requestId : undefined
      clients.broadcast({
        type: 'run.finished',
        conversation_id: run.conversationId,
        run_id: run.runId,
        status,
        ...(status === 'failed' && { error: notice ?? 'The run failed.' }),
        ...(requestId !== undefined && { request_id: requestId }),
      })
      run.cancelling?.settle(status === 'cancelled')
      onEnd(run.conversationId)
    },
    drop(run) {
      if (run.isOver) return
      close(run)
      run.cancelling?.settle(false)
    },
    tools: (conversationId) => {
      const run = runs.active(conversationId)
      return run ? [...run.tools.values()].slice(-maxTools) : (remembered.get(conversationId) ?? [])
    },
    stop() {
      for (const run of open.values()) run.draft.stop()
    },
  }
  return runs
}
