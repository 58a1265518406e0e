import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { speechKey, startSpeech } from '@hermes/testing/media-services/speech.ts'
import type { Environment } from '../agent/context.ts'
import { configSchema } from '../config/schema.ts'
import type { Config } from '../config/schema.ts'
import { transcribe } from './transcribe.ts'

const never = new AbortController().signal

interface Hearing {
  readonly stt?: object
  readonly environment?: Environment
  /** Shell scripts that are on the PATH. */
  readonly programs?: Readonly<Record<string, string>>
  readonly file?: string
  readonly bytes?: number
  readonly signal?: AbortSignal
}

/** Has a recording written down that says `Tuffi` and is as long as is wanted. */
async function heard({ stt = {}, environment, programs = {}, file = 'voice.ogg', bytes, signal = never }: Hearing) {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-hearing-'))
  try {
    const path = join(folder, file)
    await writeFile(path, 'Tuffi')
    if (bytes !== undefined) await truncate(path, bytes)
    for (const [name, script] of Object.entries(programs)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
      await chmod(join(folder, name), 0o755)
    }
    // The schema's own output, frozen by the loader; only the type says so here.
    const settings = (configSchema.parse({ stt }) as unknown as Config).stt
    const PATH = `${folder}:${process.env['PATH']}`
    return await transcribe(path, { settings, environment: { PATH, ...environment } }, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes `wav:` and what it was given into its last argument. */
const ffmpeg = `
while [ $# -gt 1 ]; do [ "$1" = -i ] && from="\${2#file:}"; shift; done
{ printf 'made '; head -c 20 "$from"; } > "\${1#file:}"`

/** No Whisper on this machine. */
const noWhisper = { PYTHONPATH: '/nowhere' }

test('each service is asked with its own key and model, and the words are trimmed', async () => {
  await using openai = await startSpeech('openai')
  await using mistral = await startSpeech('mistral')
  const cases: readonly (readonly [provider: string, environment: Environment, stt: object, model: string])[] = [
    ['groq', { GROQ_API_KEY: speechKey, GROQ_BASE_URL: `${openai.url}/v1` }, {}, 'whisper-large-v3-turbo'],
    ['openai', { VOICE_TOOLS_OPENAI_KEY: speechKey }, { openai: { base_url: `${openai.url}/v1` } }, 'whisper-1'],
    ['openai', {}, { openai: { base_url: `${openai.url}/v1`, api_key: speechKey, model: 'big' } }, 'big'],
    ['mistral', { MISTRAL_API_KEY: speechKey, MISTRAL_BASE_URL: `${mistral.url}/v1` }, {}, 'voxtral-mini-latest'],
  ]
  for (const [provider, environment, stt, model] of cases) {
    const result = await heard({ stt: { provider, ...stt }, environment })
    assert.deepEqual(result, { success: true, transcript: `${model} heard voice.ogg: Tuffi`, provider })
  }
})

test('a program of this machine hears: what it writes, or else what it prints', async () => {
  const writes = 'printf "wrote $1 $3" > "$2/voice.txt"; echo noise'
  const prints = 'cat "$1"'
  const environment = { HERMES_LOCAL_STT_COMMAND: 'hear {input_path} {output_dir} "{language} {model}"' }
  const stt = { provider: 'local_command', local: { language: 'de' } }
  const wrote = await heard({ stt, environment, programs: { hear: writes }, file: 'voice.wav' })
  assert.ok(wrote.success && /^wrote \/.*voice\.wav de base$/.test(wrote.transcript), JSON.stringify(wrote))
  const printed = await heard({ stt, environment, programs: { hear: prints, ffmpeg }, file: 'voice.ogg' })
  assert.deepEqual(printed, { success: true, transcript: 'made Tuffi', provider: 'local_command' })
})

test("Whisper's own command line is found by itself", async () => {
  const whisper =
    'while [ $# -gt 1 ]; do [ "$1" = --output_dir ] && out="$2"; shift; done; echo "by Whisper" > "$out/a.txt"'
  const result = await heard({ environment: noWhisper, programs: { whisper }, file: 'voice.wav' })
  assert.deepEqual(result, { success: true, transcript: 'by Whisper', provider: 'local_command' })
})

test('faster-whisper is asked by Python', async () => {
  const modules = await mkdtemp(join(tmpdir(), 'hermes-python-'))
  await writeFile(
    join(modules, 'faster_whisper.py'),
    `class Segment:
    def __init__(self, text): self.text = text
class WhisperModel:
    def __init__(self, name, device, compute_type): self.name = name
    def transcribe(self, path, beam_size, language): return [Segment(" " + self.name), Segment(f" {language} " + open(path).read())], None
`,
  )
  const result = await heard({
    stt: { provider: 'local', local: { model: 'small' } },
    environment: { PYTHONPATH: modules },
  })
  await rm(modules, { recursive: true })
  assert.deepEqual(result, { success: true, transcript: 'small None Tuffi', provider: 'local' })
})

test('auto goes on to the first service that has a key; one of this machine that was chosen is replaced by none', async () => {
  await using service = await startSpeech('openai')
  const environment = { ...noWhisper, GROQ_API_KEY: speechKey, GROQ_BASE_URL: `${service.url}/v1` }
  const auto = await heard({ environment })
  assert.equal(auto.success && auto.provider, 'groq')
  const local = await heard({ stt: { provider: 'local' }, environment })
  assert.ok(!local.success)
  assert.match(local.error, /local: .*faster-whisper.*local_command: HERMES_LOCAL_STT_COMMAND is not set/)
  assert.equal(service.requests.length, 1)
})

test('auto goes on where a service fails; a chosen one is replaced by no other, and no key is told', async () => {
  await using down = await startSpeech('openai')
  await using up = await startSpeech('mistral')
  const environment = {
    ...noWhisper,
    GROQ_API_KEY: 'wrong-key-123',
    GROQ_BASE_URL: `${down.url}/v1`,
    MISTRAL_API_KEY: speechKey,
    MISTRAL_BASE_URL: `${up.url}/v1`,
  }
  const auto = await heard({ environment })
  assert.equal(auto.success && auto.provider, 'mistral')
  const chosen = await heard({ stt: { provider: 'groq' }, environment })
  assert.ok(!chosen.success && chosen.error.includes('GROQ_API_KEY') && !chosen.error.includes('wrong-key-123'))
})

test('what a service does not take, or is too large for it, is converted where ffmpeg is there, and told where not', async () => {
  await using service = await startSpeech('openai')
  const environment = { GROQ_API_KEY: speechKey, GROQ_BASE_URL: `${service.url}/v1` }
  const stt = { provider: 'groq' }
  const opus = await heard({ stt, environment, file: 'voice.oga' })
  assert.ok(opus.success && opus.transcript.includes('voice.ogg: Tuffi'), JSON.stringify(opus))
  const ends = { 'voice.aac': undefined, 'voice.amr': undefined, 'voice.mp3': 26 * 1024 * 1024 }
  for (const [file, bytes] of Object.entries(ends)) {
    const result = await heard({ stt, environment, programs: { ffmpeg }, file, bytes })
    assert.ok(result.success && result.transcript.includes('recording.ogg: made Tuffi'), JSON.stringify(result))
    const without = await heard({ stt, environment, file, bytes })
    assert.ok(!without.success && /ffmpeg.*not installed/.test(without.error), JSON.stringify(without))
  }
})

test('what is off, missing or empty is told', async () => {
  const off = await heard({ stt: { enabled: false } })
  assert.deepEqual(off, {
    success: false,
    transcript: '',
    error: 'Recognition of speech is switched off (stt.enabled).',
  })
  assert.match(JSON.stringify(await heard({ bytes: 0 })), /empty/)
  const settings = (configSchema.parse({}) as unknown as Config).stt
  assert.match(JSON.stringify(await transcribe('/none.ogg', { settings, environment: {} }, never)), /ENOENT/)
})

test('who stops ends the program with all that it started', async () => {
  const stop = new AbortController()
  const environment = { HERMES_LOCAL_STT_COMMAND: 'hear {input_path}' }
  const waiting = heard({
    stt: { provider: 'local_command' },
    environment,
    programs: { hear: 'sleep 600 & wait' },
    file: 'voice.wav',
    signal: stop.signal,
  })
  setTimeout(() => stop.abort(new Error('stop')), 50)
  await assert.rejects(waiting, /stop/)
})
