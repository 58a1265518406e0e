import { z } from 'zod'

/** A word or a line; absent where it is not set. */
export const textSetting = z.string().trim().optional()

/** On or off, as a boolean or, as the setup writes it, as a word. */
export const yesOrNo = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])

/** A list, or words with commas between them. */
export const wordList = z.union([
  z.array(z.string()),
  z.string().transform((list) =>
    list
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
])
