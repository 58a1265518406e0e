import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AgentContext } from '../agent/context.ts'
import type { Page } from './page/page.ts'

export interface Screenshot {
  readonly path: string
  /** PNG, base64. */
  readonly data: string
}

const keptMs = 24 * 60 * 60 * 1000
const captured = z.looseObject({ data: z.string() })

/** A picture of what the window shows, kept for a day in `cache/screenshots/`. */
export async function takeScreenshot(
  page: Page,
  { home, clock }: Pick<AgentContext, 'home' | 'clock'>,
  signal: AbortSignal,
): Promise<Screenshot> {
  const { data } = await page.session.send('Page.captureScreenshot', { format: 'png' }, captured, { signal })
  const folder = home.path('cache', 'screenshots')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeOld(folder, clock.now())
  const path = join(folder, `browser_${new Date(clock.now()).toISOString().replace(/[:.]/g, '-')}.png`)
  await writeFile(path, Buffer.from(data, 'base64'), { mode: 0o600 })
  return { path, data }
}

async function removeOld(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^browser_[\w-]+\.png$/.test(name)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs > keptMs) await rm(path, { force: true })
  }
}
