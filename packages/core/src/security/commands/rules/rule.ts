import type { Invocation } from '../invocation.ts'

/** Looks at one program call and tells the keys of what is dangerous in it. */
export type Rule = (call: Invocation) => readonly string[]

/** The keys whose condition holds. */
export function keysOf(conditions: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(conditions).filter((key) => conditions[key])
}
