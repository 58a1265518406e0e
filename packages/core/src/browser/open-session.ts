import { BrowserError } from './browser-error.ts'
import { BrowserSession } from './browser-session.ts'
import type { BrowserSessionOptions } from './browser-session.ts'
import { chooseBackend } from './choose-backend.ts'
import { backends } from './registry.ts'

/** Opens a browser in the way that the profile uses. Throws `BrowserError`; when `signal` aborts, its reason. */
export async function openSession(options: BrowserSessionOptions, signal: AbortSignal): Promise<BrowserSession> {
  const choice = chooseBackend(options, options.cdpUrl)
  if (choice.missing !== undefined) throw new BrowserError('unavailable', choice.missing)
  const backend = await backends[choice.name]()
  const browser = await backend.open(options, signal)
  const session = new BrowserSession(browser, options)
  try {
    await session.start()
    return session
  } catch (error) {
    await session[Symbol.asyncDispose]()
    throw error
  }
}
