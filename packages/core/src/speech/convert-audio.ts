import type { Environment } from '../agent/context.ts'
import { childEnvironment } from '../terminals/child-environment.ts'
import { isProgramThere } from '../tools/search/find-program.ts'
import { runProgram } from './run-program.ts'

/** How ffmpeg makes each kind: for people's ears, or for recognition. */
const encodings = {
  // What Telegram takes as a voice message.
  opus: ['-c:a', 'libopus', '-b:a', '48k', '-ac', '1', '-application', 'voip', '-f', 'ogg'],
  mp3: ['-c:a', 'libmp3lame', '-q:a', '4', '-f', 'mp3'],
  wav: ['-c:a', 'pcm_s16le', '-ar', '16000', '-ac', '1', '-f', 'wav'],
} as const

export type Encoding = keyof typeof encodings

const timeoutMs = 120_000

/** Whether audio can be converted on this machine. */
export function canConvert(environment: Environment): Promise<boolean> {
  return isProgramThere('ffmpeg', childEnvironment({ environment, passthrough: [] })['PATH'])
}

/** Makes one file of another by ffmpeg. Throws `ServiceError`; when `signal` aborts, its reason. */
export async function convertAudio(
  {
    from,
    to,
    encoding,
    environment,
  }: {
    readonly from: string
    readonly to: string
    readonly encoding: Encoding
    readonly environment: Environment
  },
  signal: AbortSignal,
): Promise<void> {
  const args = [
    '-nostdin',
    '-loglevel',
    'error',
    '-y',
    '-i',
    `file:${from}`,
    '-vn',
    ...encodings[encoding],
    `file:${to}`,
  ]
  await runProgram(
    { program: 'ffmpeg', args, env: childEnvironment({ environment, passthrough: [] }), timeoutMs },
    signal,
  )
}
