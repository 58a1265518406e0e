import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { chatDisplay } from '../display/chat-display.ts'
import { cacheFolder } from '../media/cache-folder.ts'
import type { Outgoing } from '../store/outbox.ts'
import { splitBeginning } from './split-text.ts'
import { plainLimits, textMessages } from './text-messages.ts'
import type { TextMessages } from './text-messages.ts'

/** Characters that nobody reads on in, however few messages they are; one message may be longer. */
const maxChars = 100_000

/** What every service that takes files takes, bytes. */
const usualFileBytes = 8 * 1024 * 1024

export interface BoundedMessages extends TextMessages {
  /** Where all of it can be read on the machine, for where no file can be sent. */
  readonly elsewhere?: string
}

/**
 * A text as messages, and where those would be more than a chat is to get (`display.max_answer_messages`): its beginning,
 * and all of it as a file. Where the platform takes no files, or none can be written, the last message says what is left
 * out.
 */
export async function boundedMessages(
  message: BoundedMessages,
  agent: Pick<AgentContext, 'home' | 'config' | 'log'>,
): Promise<readonly Outgoing[]> {
  const { key, chat, text, limits = plainLimits, answers, elsewhere } = message
  const { maxMessages } = chatDisplay(agent.config, chat.platform)
  const most = Math.max(1, Math.min(maxMessages, Math.floor(maxChars / limits.maxLength)))
  const cut = (note: string) => splitBeginning(text, limits, { most, note })
  const { parts, isWhole } = cut('')
  if (isWhole) return textMessages({ ...message, parts })
  const size = `${text.length.toLocaleString('en')} characters`
  const file = await fileOf(text, limits.maxFileBytes ?? usualFileBytes, agent)
  const where = elsewhere === undefined ? '' : ` All of it: ${elsewhere}`
  const note =
    file === undefined
      ? `✂️ Cut here: this has ${size}.${where}`
      : `✂️ ${file.isWhole ? 'All' : 'The first part'} of it (${size}) is in the file ${basename(file.path)}.`
  const texts = textMessages({ ...message, parts: cut(note).parts })
  if (file === undefined) return texts
  const part = { type: 'file', kind: 'document', path: file.path } as const
  return [...texts, { key: `${key}:whole`, chat, part, ...(answers !== undefined && { answers }) }]
}

/** Undefined where there is none. */
async function fileOf(
  text: string,
  maxBytes: number,
  { home, log }: Pick<AgentContext, 'home' | 'log'>,
): Promise<{ readonly path: string; readonly isWhole: boolean } | undefined> {
  if (maxBytes === 0) return undefined
  const bytes = Buffer.from(text)
  try {
    const folder = await cacheFolder(home, 'documents')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `answer_${randomBytes(6).toString('hex')}.md`)
    const isWhole = bytes.length <= maxBytes
    // As a stream, it leaves away what a cut has left of a sign at its end.
    const written = isWhole ? bytes : new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
    await writeFile(path, written, { mode: 0o600 })
    return { path, isWhole }
  } catch (error) {
    log.warn({ error: String(error) }, 'a long answer cannot be written to a file')
    return undefined
  }
}
