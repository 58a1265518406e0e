import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { FileSafetyError } from '@hermes/core/security/file-safety-error.ts'
import { checkRead } from '@hermes/core/security/file-safety.ts'
import { NetworkError } from '@hermes/core/security/network/network-error.ts'
import { cacheFolder } from '../media/cache-folder.ts'
import { imageExtension } from '../media/image-signature.ts'
import { kindOfFile } from '../media/media-kind.ts'
import type { OutboundPart } from '../messages/outbound-message.ts'
import { findDeliverables, isSpokenText, withoutDeliverables } from './deliverables.ts'
import type { Deliverable } from './deliverables.ts'

export type FilePart = Extract<OutboundPart, { type: 'file' }>

/** Most files of one answer, largest image that is fetched (bytes), longest that it takes (ms). */
const [maxFiles, maxImageBytes, fetchMs] = [10, 20 * 1024 * 1024, 30_000]

export interface Delivered {
  /** The text without what is sent as files, and what could not be sent. */
  readonly text: string
  /** Images first. */
  readonly files: readonly FilePart[]
}

export interface DeliverFilesOptions {
  readonly text: string
  /** Tags in results of tools, for files that the answer does not name. */
  readonly toolTags?: readonly string[]
  /** Where relative paths start. */
  readonly cwd: string
  /** Whether an abort is only that nobody waits any more: then what is not fetched yet is left out. */
  readonly isLeftOut?: (signal: AbortSignal) => boolean
}

type Agent = Pick<AgentContext, 'home' | 'environment' | 'config' | 'log'>

/** What an answer names as files becomes files, as far as they are there and may be read. Never throws but the abort. */
export async function deliverFiles(
  { text, toolTags = [], cwd, isLeftOut = () => false }: DeliverFilesOptions,
  agent: Agent,
  signal: AbortSignal,
): Promise<Delivered> {
  const asVoice = isSpokenText(text) || toolTags.some(isSpokenText)
  const own = findDeliverables(text)
  const ofTools = toolTags.flatMap((tag) => findDeliverables(tag).filter(({ type }) => type === 'media'))
  const sent = new Map<string, FilePart>()
  const taken: Deliverable[] = []
  const problems: string[] = []
  for (const one of [...own, ...ofTools]) {
    const isOwn = own.includes(one)
    const got = sent.size >= maxFiles ? tooMany : await fileOf(one, { cwd, agent, asVoice, sent, isLeftOut }, signal)
    if (typeof got !== 'string') sent.set(got.path, sent.get(got.path) ?? got)
    else if (one.type === 'media' && isOwn) problems.push(`⚠️ ${basename(one.target)} was not sent: ${got}`)
    // What cannot be sent stays as it is, but for tags, which say nothing to people.
    if (isOwn && (typeof got !== 'string' || one.type === 'media')) taken.push(one)
  }
  const left = [withoutDeliverables(text, taken), ...problems].filter((part) => part !== '').join('\n\n')
  const files = [...sent.values()]
  const isImage = ({ kind }: FilePart) => kind === 'image'
  return { text: left, files: [...files.filter(isImage), ...files.filter((file) => !isImage(file))] }
}

const tooMany = `one answer sends at most ${maxFiles} files.`

interface Sources {
  readonly cwd: string
  readonly agent: Agent
  readonly asVoice: boolean
  readonly sent: ReadonlyMap<string, FilePart>
  readonly isLeftOut: (signal: AbortSignal) => boolean
}

/** The file, or why there is none. */
async function fileOf(one: Deliverable, sources: Sources, signal: AbortSignal): Promise<FilePart | string> {
  const { agent, asVoice } = sources
  if (one.type === 'image') {
    return fetched(one, agent, signal).catch((error: unknown) => {
      if (!signal.aborted || !sources.isLeftOut(signal)) throw error
      return 'it was not waited for.'
    })
  }
  try {
    const { path, stats } = await checkRead(one.target, { ...agent, cwd: sources.cwd })
    if (!stats) return 'there is no such file.'
    if (!stats.isFile()) return 'it is no file.'
    return { type: 'file', kind: kindOfFile(path, asVoice), path }
  } catch (error) {
    if (error instanceof FileSafetyError) return 'it is protected.'
    agent.log.warn({ error: String(error) }, 'a file cannot be sent')
    return 'it cannot be read.'
  }
}

async function fetched(
  { target, caption }: Deliverable,
  { home, environment, config, log }: Agent,
  signal: AbortSignal,
): Promise<FilePart | string> {
  const { createGuardedFetch } = await import('@hermes/core/security/network/guarded-fetch.ts')
  const guarded = createGuardedFetch({ home, environment, settings: config.security })
  try {
    const limits = { maxBytes: maxImageBytes, totalMs: fetchMs }
    await using response = await guarded.fetch({ url: target, limits }, signal)
    const bytes = response.status === 200 ? await response.bytes() : Buffer.alloc(0)
    const extension = imageExtension(bytes)
    if (extension === undefined) return 'it is no image.'
    const folder = await cacheFolder(home, 'images')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `img_${randomBytes(6).toString('hex')}${extension}`)
    await writeFile(path, bytes, { mode: 0o600 })
    return { type: 'file', kind: 'image', path, ...(caption !== undefined && { caption }) }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof NetworkError)) throw error
    log.info({ code: error.code }, 'an image of an answer cannot be fetched')
    return error.message
  }
}
