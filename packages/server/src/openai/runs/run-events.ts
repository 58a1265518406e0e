import type { TurnEvent } from '@hermes/core/agent/events.ts'
import { responseUsage } from '../usage.ts'
import { createShownText } from '../turns/shown-text.ts'

/** An event of a run, in upstream's names. */
export interface RunEvent {
  readonly event: string
  readonly [field: string]: unknown
}

/** Turns what happens in a turn into a run's events. */
export function createRunEvents(): (event: TurnEvent) => readonly RunEvent[] {
  const shown = createShownText()
  let reasoning = ''

  const others = (event: TurnEvent): readonly RunEvent[] => {
    switch (event.type) {
      case 'reasoning-delta':
        reasoning += event.text
        return []
      case 'answer-reset':
        reasoning = ''
        return []
      case 'answer-end': {
        const text = reasoning
        reasoning = ''
        return text === '' ? [] : [{ event: 'reasoning.available', text }]
      }
      case 'tool-start':
        return [{ event: 'tool.started', call_id: event.callId, tool: event.name, preview: event.preview }]
      case 'tool-end': {
        const duration = Math.round(event.durationMs) / 1000
        const { callId, name, status } = event
        return [{ event: 'tool.completed', call_id: callId, tool: name, duration, error: status !== 'ok' }]
      }
      case 'notice':
        return [{ event: 'notice', level: event.level, code: event.code, message: event.message }]
      case 'turn-end':
        return [turnEnd(event)]
      default:
        return []
    }
  }

  return (event) => {
    const delta = shown.push(event)
    return delta === '' ? others(event) : [{ event: 'message.delta', delta }, ...others(event)]
  }
}

function turnEnd({ status, text, failure, usage }: Extract<TurnEvent, { type: 'turn-end' }>): RunEvent {
  if (status === 'failed') {
    return { event: 'run.failed', error: failure?.message ?? 'The run failed.', code: failure?.code ?? 'internal' }
  }
  if (status === 'cancelled') return { event: 'run.cancelled', output: text, usage: responseUsage(usage) }
  const finishReason = status === 'incomplete' ? 'length' : 'stop'
  return { event: 'run.completed', output: text, finish_reason: finishReason, usage: responseUsage(usage) }
}
