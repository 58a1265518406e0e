import type { Field } from './fields.ts'

/** What a program runs for its caller. */
export type Wrapped =
  /** Another program with its arguments. */
  | { readonly type: 'call'; readonly fields: readonly Field[] }
  /** A text that a shell reads. `strict`: unknown values become part of that text before it is read. */
  | { readonly type: 'text'; readonly text: string; readonly strict: boolean }
  /** A variable that it is given. */
  | { readonly type: 'setting'; readonly name: string; readonly value: string }
