import { z } from 'zod'
import type { InboundMessage } from '../../messages/inbound-message.ts'

/** A message as a plugin may hand it over, for its own platform. */
export function inboundShape(platform: string): z.ZodType<InboundMessage> {
  // Many services number what they have.
  const id = z.union([z.string().min(1), z.number()]).transform(String)
  const optionalText = z.string().optional()
  return z.object({
    eventId: id,
    messageId: id.optional(),
    source: z.object({
      platform: z.literal(platform),
      account: id,
      chatId: id,
      chatType: z.enum(['dm', 'group', 'channel', 'thread']),
      chatName: optionalText,
      chatTopic: optionalText,
      threadId: id.optional(),
      parentId: id.optional(),
      userId: id.optional(),
      userName: optionalText,
      userIdAlt: id.optional(),
      listedAs: optionalText,
    }),
    text: z.string(),
    attachments: z
      .array(
        z.object({
          kind: z.enum(['image', 'audio', 'voice', 'video', 'document']),
          path: z.string().min(1),
          mimeType: z.string(),
          name: optionalText,
          transcript: optionalText,
        }),
      )
      .default([]),
    replyToText: optionalText,
    background: optionalText,
    sentAt: z.number(),
    skills: z.array(z.string()).optional(),
    prepared: z.object({ isTyped: z.boolean(), replaces: z.number().optional() }).optional(),
  })
}
