import type { KeyLimits } from '@hermes/core/models/rate-limits.ts'
import type { TaskResult } from './one-shot.ts'

/** What a task came to, for programs. Costs that nobody knows are left out of `cost_usd`, which is null where all are. */
export function resultJson({ end, calls, sessionId, answeredBy }: TaskResult) {
  const { status, failure, usage, modelCalls, durationMs } = end
  const costs = calls.flatMap(({ cost }) => cost ?? [])
  const known = costs.flatMap(({ usd }) => usd ?? [])
  const told = calls.findLast(({ rateLimits }) => rateLimits)?.rateLimits
  return {
    session_id: sessionId,
    model: answeredBy?.model ?? null,
    provider: answeredBy?.provider ?? null,
    status,
    text: end.text.trimEnd(),
    failure,
    usage,
    cost_usd: known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0),
    cost_status: [...new Set(costs.map((cost) => cost.status))],
    ...(told && { rate_limits: limitsJson(told) }),
    model_calls: modelCalls,
    duration_ms: Math.round(durationMs),
  }
}

function limitsJson({ provider, key, limits }: KeyLimits) {
  return {
    provider,
    key: key ?? null,
    limits: limits.map(({ name, used, limit, remaining, resetsAtMs }) => ({
      name,
      used,
      limit: limit ?? null,
      remaining: remaining ?? null,
      resets_at: resetsAtMs === undefined ? null : new Date(resetsAtMs).toISOString(),
    })),
  }
}
