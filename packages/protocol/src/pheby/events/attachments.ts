import { z } from 'zod'
import { ATTACHMENT_KINDS } from '../constants.ts'
import { id, timestamp } from '../fields.ts'
import { ts, conversationId, messageId, time } from './fields.ts'

/** A file of the agent; its bytes are fetched from `download_path` with the secret. */
export const attachment = z.object({
  attachment_id: id.describe('Says nothing about where the file lies.'),
  filename: z.string().describe('Name to show and to save under.'),
  mime_type: z.string().describe('Media type.'),
  size: z.int().min(0).describe('Size, bytes.'),
  kind: z.enum(ATTACHMENT_KINDS).describe('How to show it.'),
  inline_image: z.boolean().describe('True: safe to show as an image beside the text.'),
  conversation_id: conversationId,
  message_id: messageId.nullable().describe('The draft that it came with; null outside a run.'),
  created_at: timestamp,
  expires_at: timestamp.nullable().describe('From when on it cannot be fetched; null: never.'),
  download_path: z.string().describe('Path on this server, to be fetched with the secret.'),
})

export const attachmentAdded = z
  .object({ type: z.literal('attachment.added'), conversation_id: conversationId, attachment, ts })
  .meta({
    description: 'The agent made a file.',
    examples: [
      {
        type: 'attachment.added',
        conversation_id: 'a1b2',
        attachment: {
          attachment_id: 'e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0',
          filename: 'report.pdf',
          mime_type: 'application/pdf',
          size: 48213,
          kind: 'document',
          inline_image: false,
          conversation_id: 'a1b2',
          message_id: 'draft-8c1f',
          created_at: time,
          expires_at: '2026-09-09T18:00:00+00:00',
          download_path: '/attachments/e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0',
        },
        ts: time,
      },
    ],
  })
