import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { InboundFileError, saveInbound } from '../../media/save-inbound.ts'
import type { InboundAttachment } from '../../messages/inbound-message.ts'
import type { OutboundAnswer } from '../../http/outbound.ts'
import { PlatformError } from '../platform-error.ts'
import type { PlatformHost } from '../platform.ts'
import type { SlackClient } from './client.ts'
import { slackFile } from './payloads.ts'
import type { SlackFile } from './payloads.ts'
import type { SlackTiming } from './settings.ts'
import type { SlackTeam } from './teams.ts'

/** Largest file that is fetched, bytes; files of one message; downloads at once; tries; hops from one address to another. */
const maxBytes = 20 * 1024 * 1024
const maxFiles = 10
const maxDownloads = 4
const maxTries = 3
const maxHops = 3

const downloadMs = 60_000

/** What came of a message's files: those that are here, and words about those that are not. */
export interface FetchedFiles {
  readonly attachments: readonly InboundAttachment[]
  readonly notes: readonly string[]
}

export type FetchFiles = (files: readonly SlackFile[], team: SlackTeam) => Promise<FetchedFiles>

export interface FetcherOptions {
  readonly client: SlackClient
  readonly host: Pick<PlatformHost, 'home' | 'log'>
  readonly timing: Pick<SlackTiming, 'downloadRetryMs'>
}

export function createFileFetcher({ client, host, timing }: FetcherOptions, signal: AbortSignal): FetchFiles {
  const slots = Array.from({ length: maxDownloads }, (): Promise<unknown> => Promise.resolve())
  let next = 0
  const inSlot = <T>(run: () => Promise<T>): Promise<T> => {
    const at = next++ % maxDownloads
    const done = (slots[at] ?? Promise.resolve()).then(run)
    slots[at] = done.catch(() => undefined)
    return done
  }

  async function fetchOne(file: SlackFile, team: SlackTeam): Promise<InboundAttachment | string> {
    const label = file.name ? `the file "${file.name}"` : 'a file'
    try {
      const whole = file.file_access === 'check_file_info' ? await fullFile(file, team) : file
      const url = whole.url_private_download || whole.url_private || ''
      if (whole.is_external || !client.isOwnHost(url)) return `[The user shared ${label}, which is not kept by Slack.]`
      if ((whole.size ?? 0) > maxBytes)
        return `[The user sent ${label}, which is larger than 20 MB and was not fetched.]`
      const bytes = await inSlot(() => downloadPatiently(url, team.token, whole.mimetype === 'text/html'))
      return await keep(whole, bytes)
    } catch (error) {
      signal.throwIfAborted()
      host.log.warn({ error: String(error) }, 'a file could not be fetched')
      return `[The user sent ${label}, which could not be fetched. They may send it again.]`
    }
  }

  async function fullFile({ id }: SlackFile, team: SlackTeam): Promise<SlackFile> {
    const answer = await client.call(team.token, 'files.info', { file: id }, { signal })
    return z.looseObject({ file: slackFile() }).parse(answer).file
  }

  async function downloadPatiently(url: string, token: string, isPage: boolean): Promise<Buffer> {
    for (let tries = 1; ; tries++) {
      try {
        return await download(url, token, isPage)
      } catch (error) {
        const isPassing =
          error instanceof PlatformError && ['unreachable', 'uncertain', 'rate-limited'].includes(error.code)
        if (!isPassing || tries >= maxTries) throw error
        await wait(timing.downloadRetryMs * tries, undefined, { signal })
      }
    }
  }

  /** The token goes to Slack's own hosts alone, also where one leads to another. */
  async function download(url: string, token: string, isPage: boolean): Promise<Buffer> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(downloadMs)])
    let address = url
    for (let hops = 0; hops <= maxHops; hops++) {
      if (!client.isOwnHost(address)) break
      const headers = { authorization: `Bearer ${token}` }
      const response = await client.fetch(address, { headers, signal: limit })
      const location = response.header('location')
      if (response.status < 300 || response.status >= 400 || location === undefined) return readFile(response, isPage)
      response.discard()
      address = new URL(location, address).href
    }
    throw new PlatformError('refused', 'The file leads to an address that is not Slack’s.')
  }

  async function keep({ mimetype, name, subtype }: SlackFile, bytes: Buffer): Promise<InboundAttachment> {
    const mimeType = mimetype || 'application/octet-stream'
    const file = { bytes, mimeType, ...(name && { name }) }
    try {
      return await saveInbound({ ...file, kind: kindOf(mimeType, subtype) }, host)
    } catch (error) {
      if (!(error instanceof InboundFileError) || error.code !== 'no-image') throw error
      return saveInbound({ ...file, kind: 'document' }, host)
    }
  }

  return async (files, team) => {
    const shown = files.filter(({ mode }) => mode !== 'tombstone' && mode !== 'hidden_by_limit')
    const results = await Promise.all(shown.slice(0, maxFiles).map((file) => fetchOne(file, team)))
    const left = shown.length - maxFiles
    return {
      attachments: results.filter((result) => typeof result !== 'string'),
      notes: [
        ...results.filter((result) => typeof result === 'string'),
        ...(left > 0 ? [`[${left} more files were not fetched.]`] : []),
      ],
    }
  }
}

function kindOf(mimeType: string, subtype: string | null | undefined): InboundAttachment['kind'] {
  if (subtype === 'slack_audio') return 'voice'
  const [kind] = mimeType.split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}

async function readFile(response: OutboundAnswer, mayBePage: boolean): Promise<Buffer> {
  const { status } = response
  if (status !== 200) {
    response.discard()
    throw new PlatformError(
      status === 429 || status >= 500 ? 'uncertain' : 'refused',
      `Slack does not give the file (status ${status}).`,
    )
  }
  const isPage = !mayBePage && (response.header('content-type') ?? '').includes('text/html')
  const bytes = await response.read(maxBytes)
  if (!bytes) throw new PlatformError('too-long', 'The file is too large.')
  // Who may not see a file is shown a page to sign in, as if that were the file.
  if (isPage && /^\s*<!doctype html/i.test(bytes.toString('latin1', 0, 64))) {
    throw new PlatformError('refused', 'Slack does not give the file: the app needs the scope files:read.')
  }
  return bytes
}
