import type { ObservedWork, Work, WorkEnd, WorkNote, WorkObserver } from '@hermes/core/agent/work-observer.ts'
import type { Labels, Registry } from './registry.ts'

/** Upper bounds of durations, seconds: from one that a person does not notice to the longest turns. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

/** Counts and times what the agent does. */
export function workMetrics(registry: Registry): WorkObserver {
  const { counter, gauge, histogram } = registry
  const kinds = {
    turn: {
      count: counter({ name: 'hermes_turns_total', help: 'Turns that have ended.' }),
      time: histogram({ name: 'hermes_turn_duration_seconds', help: 'How long turns take.', buckets }),
      running: gauge({ name: 'hermes_turns_running', help: 'Turns that run.' }),
    },
    'model-call': {
      count: counter({ name: 'hermes_model_calls_total', help: 'Calls of models that have ended, retries included.' }),
      time: histogram({ name: 'hermes_model_call_duration_seconds', help: 'How long calls of models take.', buckets }),
      running: gauge({ name: 'hermes_model_calls_running', help: 'Calls of models that run.' }),
    },
    'tool-call': {
      count: counter({ name: 'hermes_tool_calls_total', help: 'Calls of tools that have ended.' }),
      time: histogram({ name: 'hermes_tool_call_duration_seconds', help: 'How long calls of tools take.', buckets }),
      running: gauge({ name: 'hermes_tool_calls_running', help: 'Calls of tools that run.' }),
    },
    delivery: {
      count: counter({ name: 'hermes_deliveries_total', help: 'Tries to send something to a chat.' }),
      time: histogram({ name: 'hermes_delivery_duration_seconds', help: 'How long they take.', buckets }),
      running: gauge({ name: 'hermes_deliveries_running', help: 'Those that are under way.' }),
    },
    'job-run': {
      count: counter({ name: 'hermes_cron_runs_total', help: 'Runs of scheduled jobs that have ended.' }),
      time: histogram({ name: 'hermes_cron_run_duration_seconds', help: 'How long they take.', buckets }),
      running: gauge({ name: 'hermes_cron_runs_running', help: 'Those that run.' }),
    },
    request: {
      count: counter({ name: 'hermes_api_requests_total', help: 'Requests to the API server.' }),
      time: histogram({ name: 'hermes_api_request_duration_seconds', help: 'How long they take.', buckets }),
      running: gauge({ name: 'hermes_api_requests_running', help: 'Those that are being answered.' }),
    },
  }
  const note = notes(registry)
  return {
    begin(work): ObservedWork {
      const startedAt = performance.now()
      const { count, time, running } = kinds[work.kind]
      const labels = labelsOf(work)
      running.add(1)
      return {
        run: (task) => task(),
        end(end) {
          running.add(-1)
          count.add({ ...labels, ...endLabels(work, end) })
          time.observe((performance.now() - startedAt) / 1000, labels)
        },
      }
    },
    note,
  }
}

function labelsOf(work: Work): Labels {
  switch (work.kind) {
    case 'turn':
      return { platform: work.isSubAgent ? 'sub_agent' : work.face }
    case 'model-call':
      return { provider: work.provider, model: work.model }
    case 'tool-call':
      return { tool: work.tool }
    case 'delivery':
      return { platform: work.platform }
    case 'request':
      return { method: work.method, route: work.route }
    case 'job-run':
      return {}
  }
}

function endLabels({ kind }: Work, { status, code }: WorkEnd): Labels {
  if (kind === 'delivery') return { outcome: status }
  return { status, ...(kind === 'model-call' && { code: code ?? '' }) }
}

function notes({ counter, gauge }: Registry): (note: WorkNote) => void {
  const messages = counter({ name: 'hermes_messages_received_total', help: 'Messages of people on chat platforms.' })
  const up = gauge({ name: 'hermes_platform_up', help: 'Whether a chat platform is connected.' })
  const tokens = counter({ name: 'hermes_model_tokens_total', help: 'Tokens of calls of models.' })
  const cost = counter({ name: 'hermes_model_cost_usd_total', help: 'What they cost as far as is known, US dollars.' })
  const unpriced = counter({ name: 'hermes_model_calls_unpriced_total', help: 'Calls whose cost nobody knows.' })
  return (note) => {
    if (note.kind === 'message') messages.add({ platform: note.platform, outcome: note.outcome })
    else if (note.kind === 'platform-state') up.set(note.state === 'connected' ? 1 : 0, { platform: note.platform })
    else {
      const { provider, model, usage } = note
      const kinds = {
        input: usage.inputTokens,
        output: usage.outputTokens,
        cache_read: usage.cacheReadTokens,
        cache_write: usage.cacheWriteTokens,
      }
      for (const [kind, amount] of Object.entries(kinds)) tokens.add({ provider, model, kind }, amount)
      if (note.cost.usd === undefined) unpriced.add({ provider, model })
      else cost.add({ provider, model }, note.cost.usd)
    }
  }
}
