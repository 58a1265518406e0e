import { mkdir, rename, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { z } from 'zod'
import type { AgentContext } from '../agent/context.ts'
import type { OpenBrowser } from './browser-backend.ts'

/** Largest file that is taken. */
export const maxDownloadBytes = 200 * 1024 * 1024
const maxRunning = 20

export interface Downloads {
  readonly running: number
}

const begins = z.looseObject({ guid: z.string(), url: z.string(), suggestedFilename: z.string() })
const progress = z.looseObject({
  guid: z.string(),
  totalBytes: z.number(),
  receivedBytes: z.number(),
  state: z.enum(['inProgress', 'completed', 'canceled']),
})

export interface DownloadOptions extends Pick<AgentContext, 'home'> {
  /** Told what the model should know. */
  readonly notice: (text: string) => void
  readonly maxBytes?: number
}

/** Takes what pages hand out into `cache/downloads/`, where the browser's files are on this machine. */
export async function followDownloads(
  { connection, filesDir, isShared }: OpenBrowser,
  { home, notice, maxBytes = maxDownloadBytes }: DownloadOptions,
): Promise<Downloads> {
  const { browser } = connection
  const names = new Map<string, string>()
  if (filesDir === undefined) {
    if (!isShared) await browser.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true })
    browser.on('Browser.downloadWillBegin', begins, ({ suggestedFilename }) =>
      notice(`The page handed out "${cleanName(suggestedFilename)}", which is not taken from a browser elsewhere.`),
    )
    return { running: 0 }
  }
  const arriving = join(filesDir, 'arriving')
  await mkdir(arriving, { recursive: true, mode: 0o700 })
  const params = { behavior: 'allowAndName', downloadPath: arriving, eventsEnabled: true }
  await browser.send('Browser.setDownloadBehavior', params)

  const cancel = (guid: string, why: string) => {
    const name = names.get(guid)
    if (!names.delete(guid)) return
    notice(`The download of "${name}" was stopped: ${why}.`)
    browser.send('Browser.cancelDownload', { guid }).catch(() => undefined)
  }
  browser.on('Browser.downloadWillBegin', begins, ({ guid, suggestedFilename }) => {
    names.set(guid, cleanName(suggestedFilename))
    if (names.size > maxRunning) cancel(guid, `${maxRunning} others are running`)
  })
  browser.on('Browser.downloadProgress', progress, ({ guid, totalBytes, receivedBytes, state }) => {
    const name = names.get(guid)
    if (name === undefined) return
    if (Math.max(totalBytes, receivedBytes) > maxBytes) {
      cancel(guid, `it is larger than ${Math.round(maxBytes / 1024 / 1024)} MB`)
    } else if (state === 'canceled') cancel(guid, 'the page or the network broke it off')
    else if (state === 'completed') {
      keep(join(arriving, guid), home.path('cache', 'downloads'), name)
        .then((path) => notice(`Downloaded "${name}" (${receivedBytes} bytes) to ${path}`))
        .catch(() => notice(`The download of "${name}" could not be kept.`))
        .finally(() => names.delete(guid))
    }
  })
  return {
    get running() {
      return names.size
    },
  }
}

/** Gives a file its name, with a number where there is one of that name. */
async function keep(from: string, folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const extension = extname(name)
  const stem = name.slice(0, name.length - extension.length)
  const { link } = await import('node:fs/promises')
  for (let number = 1; number <= 1_000; number++) {
    const path = join(folder, number === 1 ? name : `${stem}-${number}${extension}`)
    try {
      await link(from, path)
      await rm(from, { force: true })
      return path
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue
      // Some file systems have no links.
      await rename(from, path)
      return path
    }
  }
  throw new Error('there are too many files of that name')
}

/** A name without folders, hidden beginnings and what file systems do not take. */
export function cleanName(suggested: string): string {
  const base = suggested.split(/[\\/]/).at(-1) ?? ''
  const clean = base
    .replace(/[\p{C}<>:"|?*]/gu, '_')
    .replace(/^[.\s]+/, '')
    .trim()
  return (clean === '' ? 'download' : clean).slice(-120).toWellFormed()
}
