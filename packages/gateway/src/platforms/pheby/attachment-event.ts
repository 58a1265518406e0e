import type { PhebyAttachment } from '@hermes/protocol/pheby/types.ts'
import type { StoredAttachment } from './store/stored-attachments.ts'
import { timestamp } from './timestamp.ts'

/** Kinds of images that are shown without being opened by another program; their first bytes were looked at. */
const inlineTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** A file as clients are told of it. */
export function attachmentOf(stored: StoredAttachment): PhebyAttachment {
  const { id, filename, mimeType, size, kind, conversationId, messageId, createdAt, expiresAt } = stored
  return {
    attachment_id: id,
    filename,
    mime_type: mimeType,
    size,
    kind,
    inline_image: kind === 'image' && inlineTypes.has(mimeType),
    conversation_id: conversationId,
    message_id: messageId ?? null,
    created_at: timestamp(createdAt),
    expires_at: expiresAt === undefined ? null : timestamp(expiresAt),
    download_path: `/attachments/${id}`,
  }
}
