import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment } from '../../terminals/child-environment.ts'
import { isProgramThere } from '../../tools/search/find-program.ts'
import { commandOf } from '../command-template.ts'
import type { Recognizer, RecognizerSources } from '../recognizer.ts'
import { maxRecordingBytes } from '../recognizer.ts'
import { runProgram } from '../run-program.ts'

const variable = 'HERMES_LOCAL_STT_COMMAND'
const timeoutMs = 900_000

/** Whisper's own command line. */
const whisper =
  'whisper {input_path} --model {model} --language {language} --output_format txt --output_dir {output_dir} --verbose False'

/** Any program that writes a text file into a folder, or prints the words. */
export const localCommand: Recognizer = {
  name: 'local_command',
  isLocal: true,
  takes: new Set(['wav']),
  maxBytes: maxRecordingBytes,
  missing: async ({ environment }) =>
    (await templateOf(environment)) === undefined ? `${variable} is not set, and whisper is not installed` : undefined,
  async recognize(path, { settings, environment }, signal) {
    const folder = await mkdtemp(join(tmpdir(), 'hermes-stt-'))
    try {
      const { model, language } = settings.local
      const command = commandOf((await templateOf(environment)) ?? '', {
        input_path: path,
        output_dir: folder,
        model,
        language: language || environment['HERMES_LOCAL_STT_LANGUAGE'] || 'en',
      })
      const env = childEnvironment({ environment, passthrough: [] })
      const printed = await runProgram({ ...command, env, timeoutMs }, signal)
      const [text] = (await readdir(folder)).filter((name) => name.endsWith('.txt')).sort()
      return text === undefined ? printed : await readFile(join(folder, text), 'utf8')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function templateOf(environment: RecognizerSources['environment']): Promise<string | undefined> {
  const own = environment[variable]?.trim()
  if (own) return own
  const { PATH } = childEnvironment({ environment, passthrough: [] })
  return (await isProgramThere('whisper', PATH)) ? whisper : undefined
}
