import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Environment } from '../../agent/context.ts'
import { childEnvironment } from '../../terminals/child-environment.ts'
import { signalGroup } from '../../terminals/process-groups.ts'
import { settlesWithin } from '../../terminals/settles-within.ts'
import { BrowserError } from '../browser-error.ts'
import { connect } from '../cdp/connection.ts'
import type { CdpConnection } from '../cdp/connection.ts'
import { pipeTransport } from '../cdp/pipe-transport.ts'
import { z } from 'zod'

/** A Chromium that dies with this process: it is ruled over a pipe, whose end ends it. */
export interface Chromium extends AsyncDisposable {
  readonly connection: CdpConnection
}

export interface ChromiumOptions {
  readonly program: string
  readonly profileDir: string
  readonly proxyPort: number
  readonly environment: Environment
}

const startTimeoutMs = 30_000
const endTimeoutMs = 5_000
const maxErrorChars = 4_000

/** Starts it in a process group of its own. Throws `BrowserError`; when `signal` aborts, its reason. */
export async function startChromium(options: ChromiumOptions, signal: AbortSignal): Promise<Chromium> {
  signal.throwIfAborted()
  const { program, environment, profileDir } = options
  const child = spawn(program, [...switches(options), '--no-startup-window'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    cwd: profileDir,
    env: { ...childEnvironment({ environment, passthrough: [] }), ...privateFolders(profileDir) },
  })
  let errors = ''
  // With these stdio settings: what it says, then the pipes to and from the browser.
  const [, , stderr, input, output] = child.stdio as unknown as [null, null, Readable, Writable, Readable]
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrorChars)
  })
  const ended = once(child, 'close').catch(() => undefined)
  child.on('error', (error) => {
    errors += error.message
  })
  const connection = connect(pipeTransport(input, output))
  const end = async () => {
    // First of all, since nothing may wait any more when the process ends.
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
    connection.close()
    await settlesWithin(ended, endTimeoutMs)
    stderr.destroy()
  }
  try {
    await connection.browser.send('Browser.getVersion', {}, z.looseObject({}), { signal, timeoutMs: startTimeoutMs })
    return { connection, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    signal.throwIfAborted()
    throw new BrowserError('unavailable', `${program} did not start: ${whyNot(errors)}`, { cause: error })
  }
}

/** The last line that says something. */
function whyNot(errors: string): string {
  const lines = errors.split('\n').filter((line) => /error|fatal|cannot|missing|failed|ENOENT|EACCES/i.test(line))
  return lines.at(-1)?.trim().slice(0, 300) ?? 'it gave no reason'
}

/** What it writes outside of its profile goes into the profile too. */
function privateFolders(profileDir: string): Readonly<Record<string, string>> {
  return { XDG_CONFIG_HOME: profileDir, XDG_CACHE_HOME: profileDir }
}

function switches({ profileDir, proxyPort }: ChromiumOptions): readonly string[] {
  return [
    '--headless=new',
    '--remote-debugging-pipe',
    `--user-data-dir=${profileDir}`,
    // Everything through the guard, what is on this machine too; no name is looked up by the browser itself.
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--disable-quic',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    // Chromium has no sandbox of its own for root, and does not start without being told so.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--window-size=1280,800',
    '--hide-scrollbars',
    '--mute-audio',
    '--no-first-run',
    '--no-default-browser-check',
    '--no-pings',
    '--no-service-autorun',
    '--disable-background-networking',
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
    '--disable-breakpad',
    '--disable-crash-reporter',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-dev-shm-usage',
    '--disable-domain-reliability',
    '--disable-extensions',
    '--disable-gpu',
    '--disable-smooth-scrolling',
    '--disable-sync',
    '--metrics-recording-only',
    '--password-store=basic',
    '--use-mock-keychain',
    '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,HttpsUpgrades,GlobalMediaControls,PaintHolding',
  ]
}
