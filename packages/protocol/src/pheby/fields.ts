import { z } from 'zod'
import { MAX_NAME_CHARS, MAX_TEXT_CHARS } from './constants.ts'

/** Identifier that the server makes; a client never reads anything in it. */
export const id = z.string().min(1).max(200)

export const requestId = z.string().optional().describe('Any text of the client; the direct reply carries it.')

export const timestamp = z.string().describe('Time in ISO 8601, UTC.')

export const conversationName = z
  .string()
  .trim()
  .max(MAX_NAME_CHARS)
  .describe(`What the conversation is called: at most ${MAX_NAME_CHARS} characters.`)

/** Text of a message. What is too long is told apart from what is wrong by `params`. */
export const chatText = z
  .string()
  .refine((text) => text.trim() !== '', { error: 'is empty' })
  .refine((text) => withinCharacters(text, MAX_TEXT_CHARS), {
    error: `has more than ${MAX_TEXT_CHARS} characters`,
    params: { code: 'too_large' },
  })
  .meta({ maxLength: MAX_TEXT_CHARS })

/** Counts Unicode characters, as the limit is meant and as JSON Schema counts. */
function withinCharacters(text: string, most: number): boolean {
  if (text.length <= most) return true
  if (text.length > most * 2) return false
  let count = 0
  for (const _ of text) count += 1
  return count <= most
}
