// NeuTTS Air, a Python package that speaks on this machine in the voice of a sample: https://github.com/neuphonic/neutts
import { access } from 'node:fs/promises'
import { hasPythonPackages, runPython } from '../python.ts'
import type { SpeechProvider } from '../speech-provider.ts'

/** Loading the model takes most of the time; without a graphics card it is slow. */
const timeoutMs = 600_000

const program = `
import json, sys
import soundfile
from neutts import NeuTTS
order = json.load(sys.stdin)
voice = NeuTTS(
    backbone_repo=order["model"], backbone_device=order["device"],
    codec_repo="neuphonic/neucodec", codec_device=order["device"],
)
sound = voice.infer(order["text"], voice.encode_reference(order["audio"]), order["words"])
soundfile.write(order["path"], sound, 24000, format="WAV")
`

const notInstalled = 'the Python package neutts is not installed (pip install neutts soundfile)'

export const neutts: SpeechProvider = {
  name: 'neutts',
  formats: ['wav'],
  isLocal: true,
  async missing({ settings, environment }) {
    const { ref_audio: audio, ref_text: words } = settings.neutts
    if (audio === '' || words === '') {
      return 'tts.neutts.ref_audio and ref_text are not set (a sample of the voice, and what it says)'
    }
    try {
      await access(audio)
    } catch (error) {
      if (error instanceof Error && 'code' in error) return `tts.neutts.ref_audio: ${audio} cannot be read`
      throw error
    }
    return (await hasPythonPackages(['neutts', 'soundfile'], environment)) ? undefined : notInstalled
  },
  async speak({ text, path }, { settings, environment }, signal) {
    const { ref_audio: audio, ref_text: words, model, device } = settings.neutts
    const input = { text, path, audio, words, model, device }
    await runPython({ code: program, input, environment, timeoutMs }, signal)
  },
}
