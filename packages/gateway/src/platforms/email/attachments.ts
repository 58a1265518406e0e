import { InboundFileError, saveInbound } from '../../media/save-inbound.ts'
import type { InboundAttachment } from '../../messages/inbound-message.ts'
import type { PlatformHost } from '../platform.ts'
import type { MailAttachment, ParsedMail } from './parsed-mail.ts'

export interface KeptAttachments {
  readonly attachments: readonly InboundAttachment[]
  /** What the agent is told of those that are not kept. */
  readonly notes: readonly string[]
}

/** Keeps the files of a mail, or says which there were. */
export async function keepAttachments(
  { attachments, hasMore }: Pick<ParsedMail, 'attachments' | 'hasMore'>,
  { host, areSkipped }: { readonly host: Pick<PlatformHost, 'home' | 'log'>; readonly areSkipped: boolean },
): Promise<KeptAttachments> {
  const more = hasMore ? ['[There were more attachments, which are not kept.]'] : []
  if (areSkipped && attachments.length > 0) {
    return { attachments: [], notes: [`[Attachments that are not kept: ${attachments.map(labelOf).join(', ')}]`] }
  }
  const kept: InboundAttachment[] = []
  const notes: string[] = []
  for (const attachment of attachments) {
    try {
      kept.push(await keep(attachment, host))
    } catch (error) {
      const why = whyNeverKept(error)
      if (why === undefined) throw error
      notes.push(`[The attachment ${labelOf(attachment)} is not kept: ${why}]`)
    }
  }
  return { attachments: kept, notes: [...notes, ...more] }
}

/** Undefined where another try may keep it, such as when the disk is full. */
function whyNeverKept(error: unknown): string | undefined {
  if (error instanceof InboundFileError) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENAMETOOLONG' || code === 'EINVAL' ? 'Its name cannot be used here.' : undefined
}

/** What is called a picture and is none is kept as it is. */
async function keep({ name, mimeType, bytes }: MailAttachment, { home }: Pick<PlatformHost, 'home'>) {
  const file = { bytes, mimeType, ...(name !== undefined && { name }) }
  try {
    return await saveInbound({ ...file, kind: kindOf(mimeType) }, { home })
  } catch (error) {
    if (!(error instanceof InboundFileError) || error.code !== 'no-image') throw error
    return saveInbound({ ...file, kind: 'document' }, { home })
  }
}

function kindOf(mimeType: string): InboundAttachment['kind'] {
  const [type] = mimeType.split('/')
  return type === 'image' || type === 'audio' || type === 'video' ? type : 'document'
}

function labelOf({ name, mimeType }: MailAttachment): string {
  return name === undefined ? mimeType : `"${name.replaceAll(/[^\p{L}\p{N}_.\- ]/gu, '_').slice(0, 100)}"`
}
