import type { z } from 'zod'

/** What the reference of one protocol is made from. */
export interface Protocol {
  /** Name of its files: `mobile-v1`. */
  readonly name: string
  readonly title: string
  /** Paragraphs in Markdown that stand before the messages. */
  readonly introduction: string
  /** The field that names the kind of a message. */
  readonly discriminator: string
  readonly fromClient: z.ZodType
  readonly fromServer: z.ZodType
  /** Code and meaning of everything that a server may refuse with. */
  readonly errors: readonly (readonly [code: string, meaning: string])[]
  /** Name and value of limits. */
  readonly limits: readonly (readonly [name: string, value: string])[]
}
