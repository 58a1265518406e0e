// NeuTTS Air, a Python package that speaks on this machine in the voice of a sample: https://github.com/neuphonic/neutts
import { access } from 'node:fs/promises'
import { ServiceError } from '../../services/service-error.ts'
import { childEnvironment } from '../../terminals/child-environment.ts'
import { runProgram } from '../run-program.ts'
import type { SpeechProvider, SpeechSources } from '../speech-provider.ts'

/** Loading the model takes most of the time; without a graphics card it is slow. */
const timeoutMs = 600_000
const lookMs = 15_000

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

const look =
  'import importlib.util, sys; sys.exit(0 if all(map(importlib.util.find_spec, ("neutts", "soundfile"))) else 3)'

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
      await python(['-c', look], { environment, limitMs: lookMs }, AbortSignal.timeout(lookMs))
      return undefined
    } catch (error) {
      if (error instanceof ServiceError) return notInstalled
      if (error instanceof Error && 'code' in error) return `tts.neutts.ref_audio: ${audio} cannot be read`
      throw error
    }
  },
  async speak({ text, path }, { settings, environment }, signal) {
    const { ref_audio: audio, ref_text: words, model, device } = settings.neutts
    const input = JSON.stringify({ text, path, audio, words, model, device })
    await python(['-c', program], { environment, limitMs: timeoutMs, input }, signal)
  },
}

function python(
  args: readonly string[],
  {
    environment,
    limitMs,
    input,
  }: Pick<SpeechSources, 'environment'> & { readonly limitMs: number; readonly input?: string },
  signal: AbortSignal,
): Promise<string> {
  const env = childEnvironment({ environment, passthrough: ['HF_TOKEN'] })
  return runProgram({ program: 'python3', args, env, input, timeoutMs: limitMs }, signal)
}
