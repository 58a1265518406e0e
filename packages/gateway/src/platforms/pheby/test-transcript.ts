/** Fields whose values are made anew each time, and what stands for them. */
const made: Readonly<Record<string, string>> = {
  conversation_id: 'conversation',
  run_id: 'run',
  session_id: 'session',
  approval_id: 'approval',
  clarify_id: 'clarify',
  attachment_id: 'attachment',
  message_id: 'message',
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/

/** Puts names in place of ids and times, the same for the same id, so that transcripts can be compared. */
export function createNaming(): (value: unknown) => unknown {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const learn = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(learn)
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      const kind = made[key]
      const isKnown = typeof inner === 'string' && [...names.keys()].some((id) => inner.includes(id))
      if (kind && typeof inner === 'string' && !isKnown) {
        const count = (counts.get(kind) ?? 0) + 1
        counts.set(kind, count)
        names.set(inner, `${kind}-${count}`)
      } else learn(inner)
    }
  }
  const named = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => named(one))
    if (typeof value === 'string') {
      if (time.test(value)) return 'time'
      return [...names].reduce((text, [id, name]) => text.replaceAll(id, name), value)
    }
    if (key === 'duration_ms' && typeof value === 'number') return 'ms'
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, named(inner, name)]))
  }
  return (value) => {
    learn(value)
    return named(value)
  }
}
