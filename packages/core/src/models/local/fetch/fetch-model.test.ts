import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import type { TemporaryHome } from '@hermes/testing'
import { startHuggingFace } from '@hermes/testing/hugging-face/server.ts'
import type { HuggingFaceOptions } from '@hermes/testing/hugging-face/server.ts'
import { ggufBytes } from '@hermes/testing/llama/gguf.ts'
import { createHttpClient } from '../../net/http-client.ts'
import { fetchModel } from './fetch-model.ts'
import { modelSource } from './model-source.ts'
import { remoteFile } from './remote-file.ts'

const never = new AbortController().signal
const file = 'Maker/Small-GGUF/small.gguf'
const bytes = Buffer.concat([ggufBytes(), randomBytes(300_000)])
const http = createHttpClient({})

async function setUp(options: Partial<HuggingFaceOptions> = {}) {
  const home = await temporaryHome()
  const site = await startHuggingFace({ file, bytes, ...options })
  const environment = { HF_ENDPOINT: site.url }
  return {
    home,
    site,
    path: home.path('models', 'small.gguf'),
    remote: () => remoteFile(modelSource(file, environment), http, never),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

async function namesIn(home: TemporaryHome): Promise<readonly string[]> {
  return (await readdir(home.path('models'))).filter((name) => !name.endsWith('.lock')).toSorted()
}

function options(onProgress: (bytes: number) => void = () => {}) {
  return { http, onProgress, retryAfterMs: 1 }
}

test('a file is fetched whole, and its size and checksum are known before', async () => {
  await using set = await setUp()
  const remote = await set.remote()
  assert.deepEqual([remote.bytes, remote.sha256], [bytes.length, createHash('sha256').update(bytes).digest('hex')])
  const seen: number[] = []
  await fetchModel(
    remote,
    set.path,
    options((count) => seen.push(count)),
    never,
  )
  assert.deepEqual(await readFile(set.path), bytes)
  assert.deepEqual(await namesIn(set.home), ['small.gguf'])
  assert.deepEqual([seen[0], seen.at(-1)], [0, bytes.length])
})

test('a connection that breaks again and again is taken up where it broke', async () => {
  await using set = await setUp({ breaksAfter: 100_000 })
  await fetchModel(await set.remote(), set.path, options(), never)
  assert.deepEqual(await readFile(set.path), bytes)
  const starts = set.site.requests.slice(1).map(({ range }) => Number(/\d+/.exec(range)?.[0]))
  assert.ok(starts.length >= 4)
  assert.deepEqual(
    starts,
    starts.toSorted((a, b) => a - b),
  )
})

test('what a stop leaves is gone on with, and never has the final name', async () => {
  await using set = await setUp({ hangsAfter: 100_000 })
  const remote = await set.remote()
  const stop = new AbortController()
  const onProgress = (count: number): void => {
    if (count > 50_000) stop.abort(new Error('stopped'))
  }
  await assert.rejects(fetchModel(remote, set.path, options(onProgress), stop.signal), /stopped/)
  assert.deepEqual(await namesIn(set.home), ['small.gguf.part', 'small.gguf.part.json'])
  await using again = await startHuggingFace({ file, bytes })
  const second = await remoteFile(modelSource(file, { HF_ENDPOINT: again.url }), http, never)
  let first: number | undefined
  await fetchModel(
    second,
    set.path,
    options((count) => (first ??= count)),
    never,
  )
  assert.deepEqual(await readFile(set.path), bytes)
  assert.ok(first !== undefined && first > 50_000)
  assert.equal(again.requests.at(-1)?.range, `bytes=${first}-`)
})

test('the rest of another file is not gone on with', async () => {
  await using set = await setUp()
  await fetchModel(await set.remote(), set.path, options(), never)
  await writeFile(`${set.path}.part`, 'the beginning of another file')
  await writeFile(`${set.path}.part.json`, JSON.stringify({ url: 'x', bytes: 1, version: 'other' }))
  await fetchModel(await set.remote(), set.path, options(), never)
  assert.deepEqual(await readFile(set.path), bytes)
})

test('a server that knows no parts is read from the beginning', async () => {
  await using set = await setUp({ ignoresRanges: true })
  const remote = await set.remote()
  await fetchModel(remote, set.path, options(), never)
  assert.deepEqual(await readFile(set.path), bytes)
})

test('a file with another checksum, or that is no model, is not kept', async () => {
  await using set = await setUp({ sha256: '0'.repeat(64) })
  await assert.rejects(fetchModel(await set.remote(), set.path, options(), never), { code: 'malformed-stream' })
  assert.deepEqual(await namesIn(set.home), [])
  await using page = await setUp({ bytes: Buffer.from('<html>Sign in to see this model.</html>') })
  await assert.rejects(fetchModel(await page.remote(), page.path, options(), never), { message: /no GGUF file/ })
  assert.deepEqual(await namesIn(page.home), [])
})

test('a token goes to the site that it is for, and to no other', async () => {
  await using set = await setUp()
  const environment = { HF_ENDPOINT: set.site.url, HF_TOKEN: 'hf_made_up' }
  assert.equal(modelSource(file, environment).token, 'hf_made_up')
  assert.equal(modelSource('https://elsewhere.example/small.gguf', environment).token, undefined)
  await remoteFile(modelSource(file, environment), http, never)
  assert.equal(set.site.requests[0]?.authorization, 'Bearer hf_made_up')
})

test('names and addresses of model files are understood, and others are refused', () => {
  const url = (wanted: string, environment = {}) => modelSource(wanted, environment).url
  const at = 'https://huggingface.co/Maker/Small-GGUF/resolve/main/small.gguf'
  assert.equal(url(file), at)
  assert.equal(url(`hf:${file}`), at)
  assert.equal(url('https://huggingface.co/Maker/Small-GGUF/blob/main/small.gguf'), at)
  assert.equal(url(at, { HF_ENDPOINT: 'https://mirror.example/' }), at.replace('huggingface.co', 'mirror.example'))
  assert.equal(url('https://models.example/a/b.gguf?x=1'), 'https://models.example/a/b.gguf?x=1')
  for (const wrong of [
    'small',
    'Maker/Small-GGUF',
    'ftp://x/y.gguf',
    'https://x.example/page',
    'a/b/m-00001-of-00002.gguf',
  ]) {
    assert.throws(() => modelSource(wrong, {}), { code: 'invalid-request' })
  }
})

test('what is not there, not for everybody or not encrypted is said', async () => {
  await using set = await setUp()
  const environment = { HF_ENDPOINT: set.site.url }
  const missing = remoteFile(modelSource('Maker/Other/small.gguf', environment), http, never)
  await assert.rejects(missing, { code: 'model-not-found' })
  const plain = remoteFile(modelSource('http://models.example/small.gguf', {}), http, never)
  await assert.rejects(plain, { code: 'invalid-request', message: /not encrypted/ })
})
