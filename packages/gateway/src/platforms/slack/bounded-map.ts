/** A map that forgets what was set longest ago. */
export interface BoundedMap<Value> {
  get(key: string): Value | undefined
  has(key: string): boolean
  set(key: string, value: Value): void
  delete(key: string): void
}

export function createBoundedMap<Value>(maxSize: number): BoundedMap<Value> {
  const entries = new Map<string, Value>()
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > maxSize && oldest !== undefined) entries.delete(oldest)
    },
    delete: (key) => void entries.delete(key),
  }
}
