import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEdge } from '@hermes/testing/media-services/edge.ts'
import { speechKey, startSpeech } from '@hermes/testing/media-services/speech.ts'
import { runToolTurn } from '@hermes/testing/tool-turn.ts'
import type { Environment } from '../agent/context.ts'
import type { FaceInfo } from '../agent/turn.ts'
import { testSession } from './test-session.ts'
import { textToSpeech } from './text-to-speech.ts'

interface Wish {
  readonly tts?: object
  readonly environment?: Environment
  readonly args?: object
  readonly face?: Partial<FaceInfo>
  readonly signal?: AbortSignal
}

const nowhere = 'ws://127.0.0.1:9/edge'

/** Has a text spoken: the result, and what is in the file. */
async function spoken({ tts = {}, environment, args, face = {}, signal }: Wish) {
  await using session = await testSession({
    settings: { tts },
    environment: { EDGE_TTS_URL: nowhere, ...environment },
    ...(signal && { signal }),
  })
  const { turn } = session.context
  const request = { ...turn.request, face: { ...turn.request.face, ...face } }
  const context = { ...session.context, turn: { ...turn, request } }
  const result = await textToSpeech.run(textToSpeech.input.parse({ text: 'Hello there', ...args }), context)
  const json = JSON.parse(result.content)
  const audio = json.file_path ? await readFile(json.file_path, 'utf8') : undefined
  const left = json.file_path ? await readdir(join(json.file_path, '..')) : []
  assert.ok(!left.some((name) => name.startsWith('.speech')), left.join())
  return { json, audio, status: result.status }
}

/** A folder of programs, each a shell script. */
async function programs(scripts: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-programs-'))
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, name), 0o755)
  }
  return {
    PATH: `${folder}:${process.env['PATH']}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Writes `converted:` and what it was given into its last argument, as far as this takes no real audio. */
const ffmpeg = `
while [ $# -gt 1 ]; do [ "$1" = -i ] && from="\${2#file:}"; shift; done
{ printf 'converted:'; cat "$from"; } > "\${1#file:}"`

test('a turn speaks by Edge, without a key, into the cache of the home', async () => {
  await using edge = await startEdge()
  const { json, progress } = await runToolTurn({
    tool: 'text_to_speech',
    args: { text: 'Fish & <chips>' },
    config: 'tts: {speed: 1.25, edge: {voice: en-GB-SoniaNeural}}',
    home: { '.env': `EDGE_TTS_URL=${edge.url}\n` },
  })
  assert.match(json.file_path, /\/cache\/audio\/tts_\d{8}_\d{6}_[0-9a-f]{6}\.mp3$/)
  assert.deepEqual(
    [json.success, json.provider, json.voice_compatible, json.media_tag],
    [true, 'edge', false, `MEDIA:${json.file_path}`],
  )
  assert.deepEqual(progress, ['Speaking'])
  assert.match(edge.spoken[0] ?? '', /name='en-GB-SoniaNeural'.*rate='\+25%'.*>Fish &amp; &lt;chips&gt;</)
})

test('Edge is asked for a long text piece by piece, and 4,000 characters at most are spoken', async () => {
  await using edge = await startEdge()
  const text = `${'Ein größerer Satz mit Umlauten. '.repeat(200)}END`
  const { audio, json } = await spoken({ environment: { EDGE_TTS_URL: edge.url }, args: { text } })
  assert.equal(audio, 'MP3(1)MP3(2)')
  assert.match(json.note, /first 4000 characters/)
  assert.ok(edge.spoken.every((ssml) => Buffer.byteLength(ssml) < 5000 && !ssml.includes('END')))
})

const services: readonly (readonly [
  name: 'elevenlabs' | 'openai' | 'minimax' | 'mistral',
  environment: (url: string) => Environment,
  settings: (url: string) => object,
  formats: readonly [mp3: string, opus: string],
])[] = [
  [
    'elevenlabs',
    (url) => ({ ELEVENLABS_BASE_URL: url, ELEVENLABS_API_KEY: speechKey }),
    () => ({}),
    ['mp3_44100_128', 'opus_48000_64'],
  ],
  ['openai', () => ({ VOICE_TOOLS_OPENAI_KEY: speechKey }), (url) => ({ base_url: `${url}/v1` }), ['mp3', 'opus']],
  ['minimax', () => ({ MINIMAX_API_KEY: speechKey }), (url) => ({ base_url: `${url}/v1/t2a_v2` }), ['mp3', 'mp3']],
  ['mistral', (url) => ({ MISTRAL_BASE_URL: `${url}/v1`, MISTRAL_API_KEY: speechKey }), () => ({}), ['mp3', 'opus']],
]
for (const [name, environment, settings, [mp3, opus]] of services) {
  test(`${name} speaks MP3, and Opus where voice messages are made of it`, async () => {
    await using service = await startSpeech(name)
    const wish: Wish = { tts: { provider: name, [name]: settings(service.url) }, environment: environment(service.url) }
    const first = await spoken(wish)
    assert.deepEqual([first.json.provider, first.audio], [name, `${mp3}:Hello there`])
    const voice = await spoken({ ...wish, face: { voiceFormat: 'opus' } })
    const isNative = opus !== mp3
    assert.deepEqual([voice.audio, voice.json.voice_compatible], [`${opus}:Hello there`, isNative])
    assert.equal(voice.json.media_tag.startsWith('[[audio_as_voice]]\nMEDIA:/'), isNative)
    assert.equal(voice.json.file_path.endsWith('.ogg'), isNative)
  })

  test(`where ${name} refuses the key, Edge speaks, and what is told has no key in it`, async () => {
    await using service = await startSpeech(name)
    await using edge = await startEdge()
    service.misbehave({ type: 'status', status: 401 })
    const { json, audio } = await spoken({
      tts: { provider: name, [name]: settings(service.url) },
      environment: { ...environment(service.url), EDGE_TTS_URL: edge.url },
    })
    assert.deepEqual([json.provider, audio], ['edge', 'MP3(1)'])
    assert.match(json.note, new RegExp(`edge spoke in place of ${name} .*refused the key`))
    assert.doesNotMatch(JSON.stringify(json), new RegExp(speechKey))
  })
}

test("MiniMax's refusals inside an answer are refusals", async () => {
  await using service = await startSpeech('minimax')
  const { json } = await spoken({
    tts: { provider: 'minimax', minimax: { base_url: service.url } },
    environment: { MINIMAX_API_KEY: speechKey },
    args: { text: 'limit' },
  })
  assert.match(json.error, /1002/)
})

test('what a provider does not make itself ffmpeg makes', async () => {
  await using edge = await startEdge()
  await using folder = await programs({ ffmpeg })
  const environment = { EDGE_TTS_URL: edge.url, PATH: folder.PATH }
  const { json, audio } = await spoken({ environment, face: { voiceFormat: 'opus' } })
  assert.deepEqual([audio, json.voice_compatible], ['converted:MP3(1)', true])
  assert.match(json.file_path, /\.ogg$/)
})

test('without ffmpeg the file is what the provider makes, named for it, and that is told', async () => {
  await using edge = await startEdge()
  const { json, audio } = await spoken({
    environment: { EDGE_TTS_URL: edge.url, PATH: '/usr/bin' },
    args: { output_path: 'said/it.ogg' },
  })
  assert.equal(audio, 'MP3(1)')
  assert.match(json.file_path, /\/work\/said\/it\.mp3$/)
  assert.match(json.note, /ffmpeg.*not installed/)
})

test('a program of this machine speaks, and nothing goes over the network in its place', async () => {
  await using edge = await startEdge()
  await using folder = await programs({ say: 'cat "$2" > "$4"', broken: 'echo no voice >&2; exit 3' })
  const environment = { PATH: folder.PATH, EDGE_TTS_URL: edge.url }
  const wish = { tts: { provider: 'local_command' }, args: { output_path: 'a.wav' } }
  const command = 'say -f {text_path} -w {output_path}'
  const said = await spoken({ ...wish, environment: { ...environment, HERMES_LOCAL_TTS_COMMAND: command } })
  assert.deepEqual([said.audio, said.json.provider], ['Hello there', 'local_command'])
  const broken = await spoken({ ...wish, environment: { ...environment, HERMES_LOCAL_TTS_COMMAND: 'broken' } })
  assert.match(broken.json.error, /no voice/)
  assert.equal(edge.spoken.length, 0)
})

test('NeuTTS is asked by Python with the sample of the voice', async () => {
  const modules = await mkdtemp(join(tmpdir(), 'hermes-python-'))
  await writeFile(
    join(modules, 'neutts.py'),
    `class NeuTTS:
    def __init__(self, **options): self.options = options
    def encode_reference(self, path): return open(path).read()
    def infer(self, text, codes, words): return f"{text}|{codes}|{words}|{self.options['backbone_repo']}"
`,
  )
  await writeFile(join(modules, 'soundfile.py'), 'def write(path, sound, rate, format): open(path, "w").write(sound)\n')
  await writeFile(join(modules, 'ann.wav'), 'ANN')
  const neutts = { ref_audio: join(modules, 'ann.wav'), ref_text: 'I am Ann', model: 'air' }
  const environment = { PYTHONPATH: modules }
  const args = { output_path: 'a.wav' }
  const { audio, json } = await spoken({ tts: { provider: 'neutts', neutts }, environment, args })
  assert.deepEqual([json.provider, audio], ['neutts', 'Hello there|ANN|I am Ann|air'])
  await rm(modules, { recursive: true })
  const without = await spoken({ tts: { provider: 'neutts' }, environment: {}, args })
  assert.match(without.json.error, /tts\.neutts\.ref_audio/)
})

test('the old folder of a home is used where it is there', async () => {
  await using edge = await startEdge()
  await using session = await testSession({ environment: { EDGE_TTS_URL: edge.url } })
  await mkdir(session.context.agent.home.path('audio_cache'), { recursive: true })
  const { json } = await session.run(textToSpeech, { text: 'Hello' })
  assert.match(json.file_path, /\/audio_cache\/tts_/)
})

test('failures say what each provider lacks; a protected file is not written', async () => {
  const nothing = await spoken({ tts: { provider: 'elevenlabs' } })
  assert.equal(nothing.status, 'error')
  assert.match(nothing.json.error, /ELEVENLABS_API_KEY is not set.*edge: Edge cannot be reached.*HERMES_LOCAL_TTS/)
  assert.match((await spoken({ tts: { provider: 'parrot' } })).json.error, /there is no "parrot" \(edge, elevenlabs/)
  assert.match((await spoken({ args: { text: ' ' } })).json.error, /empty/)
  assert.match((await spoken({ args: { output_path: 'package.json' } })).json.error, /must end in \.mp3/)
  const refused = await spoken({ args: { output_path: '~/.ssh/id_rsa' } })
  assert.equal(refused.status, 'denied')
})

test('an Edge that refuses, breaks off, or says nothing is told', async () => {
  await using edge = await startEdge()
  for (const how of ['refuse', 'drop', 'silent'] as const) {
    edge.misbehave(how)
    const { json } = await spoken({ environment: { EDGE_TTS_URL: edge.url } })
    assert.match(json.error, /edge: Edge (?:cannot be reached|ended the connection|sent no audio)/, how)
  }
})

test('who stops does not wait for the voice', async () => {
  await using edge = await startEdge()
  edge.misbehave('hang')
  const stop = new AbortController()
  const waiting = spoken({ environment: { EDGE_TTS_URL: edge.url }, signal: stop.signal })
  setImmediate(() => stop.abort(new Error('stop')))
  await assert.rejects(waiting, /stop/)
})
