import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { InboundAttachment, InboundMessage } from '../messages/inbound-message.ts'

/** Largest text file whose content the agent reads with the message, bytes. */
const maxInlineBytes = 64 * 1024

/** Longest that the words of a recording are waited for, ms. */
const transcribeMs = 180_000

const named: Readonly<Record<InboundAttachment['kind'], string>> = {
  audio: 'an audio file',
  voice: 'a voice message',
  video: 'a video',
  document: 'a file',
  image: 'an image',
}

/**
 * What the agent reads of the files of a message. Images it sees in the message's own turn alone: their paths are told, so
 * that it can look again.
 */
export async function inboundContent(
  { attachments }: Pick<InboundMessage, 'attachments'>,
  agent: Pick<AgentContext, 'config' | 'environment' | 'log'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const notes: string[] = []
  for (const attachment of attachments) {
    const isSound = attachment.kind === 'voice' || attachment.kind === 'audio'
    notes.push(isSound ? await spoken(attachment, agent, signal) : await document(attachment))
  }
  return notes
}

async function spoken(
  attachment: InboundAttachment,
  { config, environment, log }: Pick<AgentContext, 'config' | 'environment' | 'log'>,
  signal: AbortSignal,
): Promise<string> {
  const { transcript } = attachment
  if (transcript !== undefined) return says(attachment, transcript)
  if (!config.stt.enabled) return note(attachment, 'Recognition of speech is switched off.')
  const { transcribe } = await import('@hermes/core/speech/transcribe.ts')
  const limit = AbortSignal.timeout(transcribeMs)
  try {
    const sources = { settings: config.stt, environment }
    const words = await transcribe(attachment.path, sources, AbortSignal.any([signal, limit]))
    if (words.success) return says(attachment, words.transcript)
    log.warn({ error: words.error }, 'a recording is not understood')
    return note(attachment, `What it says is not known: ${words.error}`)
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.aborted) throw error
    return note(attachment, 'What it says is not known: it took too long to find out.')
  }
}

function says({ kind }: InboundAttachment, words: string): string {
  return `[The user sent ${named[kind]}. It says:]\n${words}`
}

async function document(attachment: InboundAttachment): Promise<string> {
  if (attachment.kind !== 'document' || !isText(attachment.mimeType)) return note(attachment)
  const text = await smallText(attachment.path)
  if (text === undefined) return note(attachment)
  const fence = text.includes('```') ? '~~~~' : '```'
  return `${note(attachment, 'Its content:')}\n${fence}\n${text.trimEnd()}\n${fence}`
}

async function smallText(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > maxInlineBytes) return undefined
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch {
    // Gone, or no text after all: its path is told.
    return undefined
  }
}

function isText(mimeType: string): boolean {
  return mimeType.startsWith('text/') || /^application\/(?:json|xml|yaml|x-yaml|toml)\b/.test(mimeType)
}

function note({ kind, name, mimeType, path }: InboundAttachment, more?: string): string {
  const shown = name === undefined ? '' : ` "${name.replaceAll(/[^\p{L}\p{N}_.\- ]/gu, '_')}"`
  return `[The user sent ${named[kind]}${shown} (${mimeType}): ${path}${more === undefined ? '' : `. ${more}`}]`
}

/** A note of an image, on lines of its own. */
const imageNote = /\n*^\[The user sent an image(?: "([^"\n]*)")? \(([^()\n]*)\): (\/[^\n]+)\]$/gm

/**
 * What the agent has read of a message, without what it was told of images in `folder`, and those. What people write
 * themselves names no other files in this way.
 */
export function withoutImages(
  content: string,
  folder: string,
): { readonly text: string; readonly images: readonly InboundAttachment[] } {
  const images: InboundAttachment[] = []
  const text = content.replaceAll(
    imageNote,
    (note: string, name: string | undefined, mimeType: string, path: string) => {
      if (path !== join(folder, basename(path))) return note
      images.push({ kind: 'image', path, mimeType, ...(name !== undefined && { name }) })
      return ''
    },
  )
  return { text: images.length === 0 ? content : text.trim(), images }
}
