// Whisper on this machine, by the Python package faster-whisper: https://github.com/SYSTRAN/faster-whisper
import type { Recognizer } from '../recognizer.ts'
import { maxRecordingBytes } from '../recognizer.ts'
import { hasPythonPackages, runPython } from '../python.ts'

/** The first use of a model downloads it. */
const timeoutMs = 900_000

const program = `
import json, sys
from faster_whisper import WhisperModel
order = json.load(sys.stdin)
segments, _ = WhisperModel(order["model"], device="auto", compute_type="auto").transcribe(
    order["path"], beam_size=5, language=order["language"] or None
)
print(" ".join(segment.text.strip() for segment in segments))
`

/** What it reads it reads by a library of its own, whatever the format. */
const takes: ReadonlySet<string> = new Set('mp3 mp4 mpeg mpga m4a wav webm ogg aac flac'.split(' '))

export const local: Recognizer = {
  name: 'local',
  isLocal: true,
  takes,
  maxBytes: maxRecordingBytes,
  missing: async ({ environment }) =>
    (await hasPythonPackages(['faster_whisper'], environment))
      ? undefined
      : 'the Python package faster-whisper is not installed (pip install faster-whisper)',
  recognize: (path, { settings, environment }, signal) => {
    const { model, language } = settings.local
    const input = { path, language: language || environment['HERMES_LOCAL_STT_LANGUAGE'] || '', model }
    return runPython({ code: program, input, environment, timeoutMs }, signal)
  },
}
