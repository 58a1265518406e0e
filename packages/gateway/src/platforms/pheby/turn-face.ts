import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { Redactor } from '@hermes/core/security/redact.ts'
import type { FaceTurn, TurnFace, TurnFollower, TurnSettlement } from '../turn-face.ts'
import type { Questions } from './questions.ts'
import { redactArguments } from './redact-arguments.ts'
import type { Run } from './run.ts'
import type { Runs } from './runs.ts'

/** Longest error of a tool that clients are told, characters. */
const maxError = 500

export interface PhebyFaceOptions {
  readonly runs: Runs
  readonly questions: Questions
  readonly redactor: () => Redactor
}

/** Makes the events of the protocol out of what happens in turns. */
export function createPhebyFace({ runs, questions, redactor }: PhebyFaceOptions): TurnFace {
  return {
    begin: (turn) => follow(runOf(turn, runs), { runs, redactor }),
    ask: async (question) => questions.ask(question, runs.active(question.chat.chatId)?.runId),
    asked: (question, answer) => questions.close(question, answer),
  }
}

function runOf({ chat, eventId }: FaceTurn, runs: Runs): Run {
  const run = runs.ofEvent(eventId) ?? runs.unasked(chat.chatId, eventId)
  run.hasBegun = true
  // What a command has made of itself is an answer like others.
  run.isCommand = false
  // Its message is in durable storage, or it would not be answered.
  runs.accept(run)
  return run
}

function follow(run: Run, { runs, redactor }: Pick<PhebyFaceOptions, 'runs' | 'redactor'>): TurnFollower {
  const { chatId, platform } = { chatId: run.conversationId, platform: 'pheby' }
  return {
    onEvent: (event) => show(event, run, { runs, redactor }),
    async end({ isCut }) {
      run.draft.stop()
      return isCut ? undefined : { chat: { platform, chatId, chatType: 'dm' }, messageId: run.messageId }
    },
    settled: (outcome) => settle(outcome, run, runs),
  }
}

function show(event: NumberedEvent, run: Run, { runs, redactor }: Pick<PhebyFaceOptions, 'runs' | 'redactor'>): void {
  if (run.isOver) return
  switch (event.type) {
    case 'text-delta':
      return run.draft.add(event.text)
    case 'answer-reset':
      return run.draft.reset()
    case 'answer-end':
      return event.toolCalls > 0 ? run.draft.seal() : undefined
    case 'tool-start': {
      const { callId, name, args } = event
      return runs.tool(run, {
        tool_call_id: callId,
        tool_name: name,
        status: 'running',
        args_redacted: redactArguments(args, redactor()),
      })
    }
    case 'tool-end': {
      const { callId, name, status, durationMs, content } = event
      const isFailed = status === 'error' || status === 'denied'
      return runs.tool(run, {
        tool_call_id: callId,
        tool_name: name,
        status: status === 'ok' ? 'completed' : isFailed ? 'failed' : 'cancelled',
        duration_ms: Math.max(0, Math.round(durationMs)),
        ...(isFailed && { error: shortened(redactor().redact(content)) }),
      })
    }
    default:
  }
}

/** What is said goes out from now on; the run ends when all of it has come. */
function settle({ status, texts, files, notice }: TurnSettlement, run: Run, runs: Runs): void {
  // It goes on after the next start.
  if (status === 'suspended' || run.isOver) return
  if (status === 'interrupted') return runs.finish(run, { status: 'cancelled' })
  run.outcome = { status, ...(notice !== undefined && { notice }) }
  run.expected = texts + files
  finishIfDelivered(run, runs)
}

/** Ends a run when everything that it says has come. */
export function finishIfDelivered(run: Run, runs: Runs): void {
  if (run.outcome && run.expected !== undefined && run.delivered >= run.expected) runs.finish(run, run.outcome)
}

function shortened(text: string): string {
  return text.length > maxError ? `${text.slice(0, maxError)}…`.toWellFormed() : text
}
