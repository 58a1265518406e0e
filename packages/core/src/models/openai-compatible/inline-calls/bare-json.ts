import type { ToolSchema } from '../../model.ts'
import type { InlineCall } from './format.ts'
import { jsonCalls } from './json-calls.ts'

// Small Llama models answer with nothing but the JSON of a call. An answer is taken for one only when all of it is such
// objects, and each names a tool that was offered.

const firstKey = /^\s*\{\s*"(name|type|function|arguments|parameters)"/

/** Longest beginning that is looked at before an answer is known to be text. */
const longestBeginning = 40

/** Whether an answer begins as a bare call does. */
export function isBareCall(beginning: string): boolean {
  return firstKey.test(beginning)
}

/** Whether it is too early to tell. */
export function couldBeBareCall(beginning: string): boolean {
  const isShort = beginning.length < longestBeginning
  return isShort && /^\s*(\{\s*("[^"]*)?)?$/.test(beginning)
}

/** The calls of an answer that is nothing else. */
export function parseBareCalls(answer: string, tools: readonly ToolSchema[]): readonly InlineCall[] {
  if (!firstKey.test(answer)) return []
  const calls = jsonCalls(answer)
  const offered = calls.every(({ name }) => tools.some((tool) => tool.name === name))
  return offered && isOnlyObjects(answer) ? calls : []
}

function isOnlyObjects(text: string): boolean {
  return /^\s*\{[^]*\}[\s;]*$/.test(text)
}
