import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AgentContext } from '../agent/context.ts'
import type { Page } from './page/page.ts'

/** Keeps what the browser shows: as a video where ffmpeg is there, else as pictures with a page that plays them. */
export interface Recording extends AsyncDisposable {
  /** Goes on with this page. */
  follow(page: Page): Promise<void>
}

const maxFrames = 20_000
const ffmpegTimeoutMs = 120_000
const frameEvent = z.looseObject({
  data: z.string(),
  sessionId: z.number(),
  metadata: z.looseObject({ timestamp: z.number().optional() }),
})

type RecordingContext = Pick<AgentContext, 'home' | 'clock' | 'environment' | 'log'>

/** Begins a recording in `browser_recordings/`. */
export async function startRecording(context: RecordingContext): Promise<Recording> {
  const { home, clock } = context
  const folder = home.path('browser_recordings', new Date(clock.now()).toISOString().replace(/[:.]/g, '-'))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // What was recorded can be watched also after the process was killed.
  await writeFile(join(folder, 'index.html'), player, { mode: 0o600 })
  await writeFile(join(folder, 'frames.js'), 'const frames = []\n', { mode: 0o600 })
  const times: number[] = []
  let current: Page | undefined
  let isClosed = false

  const take = (page: Page, { data, sessionId, metadata }: z.infer<typeof frameEvent>) => {
    page.session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined)
    if (isClosed || page !== current || times.length >= maxFrames) return
    const time = metadata.timestamp ?? clock.now() / 1000
    times.push(time)
    const name = frameName(times.length)
    writeFileSync(join(folder, name), Buffer.from(data, 'base64'), { mode: 0o600 })
    appendFileSync(join(folder, 'frames.js'), `frames.push(["${name}", ${time}])\n`)
  }
  return {
    async follow(page) {
      if (current === page) return
      current = page
      page.session.on('Page.screencastFrame', frameEvent, (frame) => take(page, frame))
      await page.session.send('Page.startScreencast', { format: 'jpeg', quality: 60, maxWidth: 1280, maxHeight: 800 })
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      if (times.length === 0) await rm(folder, { recursive: true, force: true })
      else if (await makeVideo(folder, times, context)) await rm(folder, { recursive: true, force: true })
    },
  }
}

function frameName(number: number): string {
  return `${String(number).padStart(6, '0')}.jpg`
}

/** False where there is no ffmpeg, or it fails. */
async function makeVideo(
  folder: string,
  times: readonly number[],
  { environment, log }: RecordingContext,
): Promise<boolean> {
  const list = times.map((time, index) => {
    const seconds = Math.min(10, Math.max(0.04, (times[index + 1] ?? time + 1) - time))
    return `file '${frameName(index + 1)}'\nduration ${seconds.toFixed(3)}`
  })
  // The last picture is named twice: its duration counts for nothing otherwise.
  await writeFile(join(folder, 'frames.txt'), `${[...list, `file '${frameName(times.length)}'`].join('\n')}\n`)
  const options = ['-y', '-loglevel', 'error', '-f', 'concat', '-i', 'frames.txt', '-vsync', 'vfr']
  const child = spawn('ffmpeg', [...options, '-c:v', 'libvpx', '-b:v', '1M', `${folder}.webm`], {
    cwd: folder,
    stdio: 'ignore',
    env: { PATH: environment['PATH'] },
    signal: AbortSignal.timeout(ffmpegTimeoutMs),
    killSignal: 'SIGKILL',
  })
  try {
    const [code] = await once(child, 'close')
    return code === 0
  } catch (error) {
    log.debug({ error: String(error) }, 'no ffmpeg: the recording stays a folder of pictures')
    return false
  }
}

const player = `<!doctype html>
<meta charset="utf-8">
<title>Recording</title>
<style>body { margin: 0; font: 14px sans-serif; background: #222; color: #ddd } img { max-width: 100%; display: block } p { margin: 8px }</style>
<img id="picture" alt="">
<p><input id="at" type="range" min="0" value="0" style="width: 80%"> <span id="time"></span></p>
<script src="frames.js"></script>
<script>
  const picture = document.getElementById('picture'), at = document.getElementById('at'), time = document.getElementById('time')
  at.max = frames.length - 1
  let timer
  const show = (index) => {
    if (!frames[index]) return
    at.value = index
    picture.src = frames[index][0]
    time.textContent = (frames[index][1] - frames[0][1]).toFixed(1) + ' s'
    clearTimeout(timer)
    const next = frames[index + 1]
    if (next) timer = setTimeout(() => show(index + 1), Math.min(3000, (next[1] - frames[index][1]) * 1000))
  }
  at.oninput = () => show(Number(at.value))
  show(0)
</script>
`
