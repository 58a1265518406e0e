import { AttachmentError } from './attachment.ts'
import type { Attachment } from './attachment.ts'

/** A web page. */
export async function attachUrl(): Promise<Attachment> {
  throw new AttachmentError('not_implemented', 'web pages cannot be attached yet (not_implemented)')
}
