import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A Chromium that somebody else has started: it can be reached by everybody on this machine. */
export interface DebuggedChromium extends AsyncDisposable {
  /** `http://127.0.0.1:port`. */
  readonly httpUrl: string
  /** `ws://127.0.0.1:port/devtools/browser/…`. */
  readonly socketUrl: string
}

/** Starts one without a window. */
export async function startDebuggedChromium(program: string): Promise<DebuggedChromium> {
  const dir = await mkdtemp(join(tmpdir(), 'hermes-chromium-'))
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const options = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${dir}`, '--disable-gpu']
  const child = spawn(program, [...options, ...root, '--no-first-run', 'about:blank'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const { promise: told, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text += more
    const url = /listening on (ws:\S+)/.exec(text)?.[1]
    if (url !== undefined) resolve(url)
  })
  const closed = once(child, 'close')
  void closed.then(() => reject(new Error('Chromium ended')))
  const socketUrl = await told
  return {
    socketUrl,
    httpUrl: `http://${new URL(socketUrl).host}`,
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await closed
      await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}
