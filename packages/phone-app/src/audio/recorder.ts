import { wavOf } from './wav.ts'

/** Samples a second of a voice message: what transcription works with. */
const voiceRate = 16_000

/** Longest recording, ms. */
const maxMs = 5 * 60_000

/** What is being recorded. */
export interface Recording {
  /** Ends it. Resolves to a WAV file; undefined where nothing was heard. */
  stop(): Promise<Uint8Array | undefined>
}

/** Asks for the microphone and records. Rejects with an error for people. */
export async function startRecording(): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch((error: unknown) => {
    throw new Error('The microphone cannot be used: allow it for this page.', { cause: error })
  })
  const recorder = new MediaRecorder(stream)
  const pieces: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
  const ended = new Promise<void>((resolve) => recorder.addEventListener('stop', () => resolve(), { once: true }))
  recorder.start()
  const limit = setTimeout(() => recorder.state !== 'inactive' && recorder.stop(), maxMs)
  return {
    async stop() {
      clearTimeout(limit)
      if (recorder.state !== 'inactive') recorder.stop()
      await ended
      for (const track of stream.getTracks()) track.stop()
      const blob = new Blob(pieces, { type: recorder.mimeType })
      return blob.size === 0 ? undefined : toWav(await blob.arrayBuffer())
    },
  }
}

/** Browsers record in forms of their own; the agent takes one that all of them can make. */
async function toWav(recorded: ArrayBuffer): Promise<Uint8Array> {
  const context = new AudioContext()
  try {
    const audio = await context.decodeAudioData(recorded)
    const offline = new OfflineAudioContext(1, Math.max(1, Math.ceil(audio.duration * voiceRate)), voiceRate)
    const source = offline.createBufferSource()
    source.buffer = audio
    source.connect(offline.destination)
    source.start()
    return wavOf((await offline.startRendering()).getChannelData(0), voiceRate)
  } finally {
    await context.close()
  }
}
