import { z } from 'zod'
import { MAX_ID_CHARS } from './constants.ts'

/**
 * Identifier that one side makes and the other only repeats. Halves of characters become one and the same in UTF-8, so that
 * two devices, or two messages, would be one in a database.
 */
export const id = z
  .string()
  .min(1)
  .max(MAX_ID_CHARS)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), { error: 'has characters that an id may not have' })

/**
 * Base64 with padding. The schema library's own check runs a pattern that does not get through megabytes, so that the
 * form is checked here in one pass.
 */
export const base64 = z
  .string()
  .refine((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text), { error: 'is no base64' })
  .meta({ contentEncoding: 'base64' })

export const part = z.int().min(0)
