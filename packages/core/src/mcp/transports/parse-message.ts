import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { maxMessageChars, type MessageLine } from './message-lines.ts'

/**
 * The message in a line; undefined where it is none. An answer that is too large becomes an error answer to the same
 * request, so that nobody waits for it.
 */
export function parseMessage({ text, isCut }: MessageLine): JSONRPCMessage | undefined {
  if (isCut) return tooLarge(text)
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // What it is exactly is checked by whoever takes it.
    return isMessage(value) ? (value as JSONRPCMessage) : undefined
  } catch {
    return undefined
  }
}

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'jsonrpc') !== '2.0') return false
  return 'method' in value || 'result' in value || 'error' in value
}

function tooLarge(beginning: string): JSONRPCMessage | undefined {
  const id = /"id"\s*:\s*(\d+)/.exec(beginning)?.[1]
  if (id === undefined) return undefined
  const message = `The answer is larger than ${maxMessageChars / 1024 / 1024} MB; ask for less at once.`
  return { jsonrpc: '2.0', id: Number(id), error: { code: -32_603, message } }
}
