import { appendFile, mkdir } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ChatRef, OutboundPart } from '../../messages/outbound-message.ts'
import { DeliveryError } from '../../deliver/delivery-error.ts'
import { PlatformError } from '../platform-error.ts'
import type { PlatformHost } from '../platform.ts'
import type { Delivery } from './deliveries.ts'
import { githubComment, readCommentTarget, writeComment } from './github-comment.ts'
import { toUrl } from './post-answer.ts'

/** Targets that are no chats, beside comments. */
const [toLog, toFile] = ['log', 'local']

/** The chat that a target means, where it is one and runs here. */
export async function chatOfTarget(
  target: string,
  { courier }: Pick<PlatformHost, 'courier'>,
): Promise<ChatRef | undefined> {
  if (target === toLog || target === toFile || isElsewhere(target)) return undefined
  try {
    return await courier.find(target)
  } catch (error) {
    if (error instanceof DeliveryError) return undefined
    throw error
  }
}

/** One that says where in itself, and may be wrong there. */
function isElsewhere(target: string): boolean {
  return [githubComment, toUrl].some((name) => target === name || target.startsWith(`${name}:`))
}

/** A part as text alone, for where files stay here. */
export function textOf(part: OutboundPart): string {
  return part.type === 'text' ? part.text : [part.caption, `(${basename(part.path)})`].filter(Boolean).join(' ')
}

export interface AnswerToDeliver {
  /** The same when it is delivered again. */
  readonly key: string
  readonly chatId: string
  readonly part: OutboundPart
  /** Undefined where it is no longer known. */
  readonly delivery: Delivery | undefined
}

/**
 * Brings an answer where its route wants it: the log, a file, a pull request, or a chat of another platform. Throws
 * `PlatformError`.
 */
export async function deliverAnswer(
  { key, chatId, part, delivery }: AnswerToDeliver,
  { home, log, courier, environment }: Pick<PlatformHost, 'home' | 'log' | 'courier' | 'environment'>,
  signal: AbortSignal,
): Promise<void> {
  const target = delivery?.target ?? toLog
  const text = part.type === 'text' ? part.text : [part.caption, `MEDIA:"${part.path}"`].filter(Boolean).join('\n')
  if (target === toLog) {
    log.info({ chat: chatId, text }, 'the answer to a webhook')
    return
  }
  if (target === toFile) {
    const folder = home.path('webhooks', delivery?.route ?? '')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = `${chatId.split(':').at(-1) ?? 'answer'}.md`
    await appendFile(home.path('webhooks', delivery?.route ?? '', file), `${text}\n`, { mode: 0o600 })
    return
  }
  const comment = readCommentTarget(target)
  if (comment) {
    // Files stay here: nothing could be attached.
    return writeComment({ ...comment, text: textOf(part) }, environment, signal)
  }
  try {
    const chat = await courier.find(target)
    if (!chat) throw new DeliveryError('There is no home channel.')
    await courier.deliver({ key: `webhook:${key}`, chat, text }, signal)
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    throw new PlatformError('refused', error.message, { cause: error })
  }
}
