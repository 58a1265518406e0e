import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment } from '../../terminals/child-environment.ts'
import { commandOf } from '../command-template.ts'
import { runProgram } from '../run-program.ts'
import type { SpeechProvider } from '../speech-provider.ts'
import { speechTimeoutMs } from '../speech-provider.ts'

const variable = 'HERMES_LOCAL_TTS_COMMAND'

/** Any program of this machine that writes a WAV file, e.g. `espeak-ng -f {text_path} -w {output_path}`. */
export const localCommand: SpeechProvider = {
  name: 'local_command',
  formats: ['wav'],
  isLocal: true,
  missing: async ({ environment }) => (environment[variable]?.trim() ? undefined : `${variable} is not set`),
  async speak({ text, path }, { environment }, signal) {
    const folder = await mkdtemp(join(tmpdir(), 'hermes-tts-'))
    try {
      const textPath = join(folder, 'text.txt')
      await writeFile(textPath, text, { mode: 0o600 })
      const command = commandOf(environment[variable] ?? '', { text_path: textPath, output_path: path })
      const env = childEnvironment({ environment, passthrough: [] })
      await runProgram({ ...command, env, input: text, timeoutMs: speechTimeoutMs }, signal)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
