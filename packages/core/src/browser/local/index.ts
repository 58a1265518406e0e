import { BrowserError } from '../browser-error.ts'
import type { BackendContext, BrowserBackend, OpenBrowser } from '../browser-backend.ts'
import { browserRules } from '../network.ts'
import { findChromium } from './find-chromium.ts'
import { startGuardProxy } from './guard-proxy.ts'
import { makeProfileFolder, removeProfileFolder } from './profile-folder.ts'
import { startChromium } from './start-chromium.ts'

/** Chromium or Chrome of this machine, with a profile that is used once. */
export const local: BrowserBackend = { name: 'local', label: 'Chromium of this machine', open }

async function open(context: BackendContext, signal: AbortSignal): Promise<OpenBrowser> {
  const { home, environment } = context
  const program = findChromium(environment)
  if (program === undefined) throw new BrowserError('unavailable', 'No Chromium or Chrome was found on this machine.')
  await using cleanup = new AsyncDisposableStack()
  const profileDir = await makeProfileFolder(home)
  cleanup.defer(() => removeProfileFolder(profileDir))
  const guard = cleanup.use(await startGuardProxy(browserRules(context), environment))
  const chromium = cleanup.use(await startChromium({ program, profileDir, proxyPort: guard.port, environment }, signal))
  const owned = cleanup.move()
  return {
    connection: chromium.connection,
    checkedBy: 'itself',
    refusal: (host) => guard.refusal(host),
    filesDir: profileDir,
    // The browser was started last, so it is ended first and at once.
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
