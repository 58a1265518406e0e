import { open } from 'node:fs/promises'

/** How much of the end of a file is looked at, bytes: longer than one page of the format. */
const tailBytes = 128 * 1024

/** Steps of Opus in a second, whatever was recorded: https://www.rfc-editor.org/rfc/rfc7845 */
const stepsPerSecond = 48_000

/** A level line: what the recording looks like is not worked out. */
const waveform = Buffer.alloc(256, 128).toString('base64')

export interface VoiceNote {
  readonly duration_secs: number
  readonly waveform: string
}

/** What Discord wants to know of a voice message. Undefined for what is no Opus in Ogg: then it is a file. */
export async function voiceNote(path: string): Promise<VoiceNote | undefined> {
  await using file = await open(path)
  const { size } = await file.stat()
  const head = Buffer.alloc(Math.min(size, 64))
  await file.read(head, 0, head.length, 0)
  if (!head.subarray(0, 4).equals(mark) || !head.includes('OpusHead')) return undefined
  const tail = Buffer.alloc(Math.min(size, tailBytes))
  await file.read(tail, 0, tail.length, size - tail.length)
  const page = tail.lastIndexOf(mark)
  if (page < 0 || page + 14 > tail.length) return undefined
  const seconds = Number(tail.readBigInt64LE(page + 6)) / stepsPerSecond
  return { duration_secs: Math.max(0.1, Number(seconds.toFixed(2))), waveform }
}

/** Beginning of a page, whose position stands six bytes on. */
const mark = Buffer.from('OggS')
