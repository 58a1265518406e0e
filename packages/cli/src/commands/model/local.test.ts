import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { startHuggingFace } from '@hermes/testing/hugging-face/server.ts'
import { ggufBytes, writeGguf } from '@hermes/testing/llama/gguf.ts'
import { makeLlamaRuntime } from '@hermes/testing/llama/runtime.ts'
import { suggestedModel } from '@hermes/core/models/local/fetch/model-source.ts'
import { runForTest } from '../auth/run-for-test.ts'
import { command } from '../model.ts'

/** A home whose runtime is there, and a site that serves a model. */
async function setUp(file = 'Maker/Small-GGUF/small.gguf') {
  const home = await temporaryHome({
    'config.yaml': '# mine\nmodel:\n  default: old\n  base_url: http://127.0.0.1:9/v1\n',
  })
  const site = await startHuggingFace({ file, bytes: ggufBytes() })
  const runtime = await makeLlamaRuntime(home.path('elsewhere'))
  const environment = { ...home.environment, HF_ENDPOINT: site.url, HERMES_LLAMA_RUNTIME: runtime.folder }
  return {
    home,
    site,
    environment,
    run: (...argv: readonly string[]) => runForTest(command, ['local', ...argv], { environment }),
    config: () => readFile(home.path('config.yaml'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('it says what it fetches and how large it is, and fetches nothing without a yes', async () => {
  await using set = await setUp()
  const asked = await set.run('Maker/Small-GGUF/small.gguf')
  assert.equal(asked.code, 1)
  assert.match(
    asked.stderr,
    /This fetches:\n {2}small\.gguf, 1 kB, from http:.*\/Maker\/Small-GGUF\/resolve\/main\/small\.gguf to .*models\/small\.gguf\n/,
  )
  assert.match(asked.stderr, /Nobody can be asked here: say --yes/)
  await assert.rejects(readdir(set.home.path('models')))
  assert.match(await set.config(), /default: old/)
})

test('with a yes the model is fetched and becomes the configured one, and the next time it is there', async () => {
  await using set = await setUp()
  const { code, stdout, stderr } = await set.run('Maker/Small-GGUF/small.gguf', '--yes')
  assert.equal(code, 0, stderr)
  assert.match(stderr, /small\.gguf: 100 %/)
  assert.match(stdout, /^Model: local\/small · context 4\.1k tokens\nSaved to /)
  assert.equal(await set.config(), '# mine\nmodel:\n  default: small\n  provider: local\n')
  const requests = set.site.requests.length
  const again = await set.run('Maker/Small-GGUF/small.gguf')
  assert.equal(again.code, 0, again.stderr)
  assert.equal((await set.run('small')).code, 0)
  // Only its size was asked for.
  assert.equal(set.site.requests.length, requests + 1)
})

test('without a name it suggests a model', async () => {
  await using set = await setUp(suggestedModel)
  const { code, stdout } = await set.run('-y')
  assert.equal(code, 0)
  assert.match(stdout, /^Model: local\/Qwen3-4B-Q4_K_M /)
})

test('a file of this machine is used where it lies', async () => {
  await using set = await setUp()
  await writeGguf(set.home.path('mine.gguf'))
  const { code, stdout, stderr } = await set.run(set.home.path('mine.gguf'))
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^Model: local\/\/.*mine\.gguf /)
  assert.equal((await set.run(set.home.path('none.gguf'))).code, 1)
})

test('a checksum that does not match keeps nothing', async () => {
  await using set = await setUp()
  const { code, stderr } = await set.run('Maker/Small-GGUF/small.gguf', '--yes', '--sha256', 'f'.repeat(64))
  assert.equal(code, 1)
  assert.match(stderr, /another SHA-256/)
  assert.match(await set.config(), /default: old/)
  assert.equal((await set.run('x', '--sha256', 'abc')).code, 2)
})

test('where the runtime is missing it is a part of what is fetched', async () => {
  await using set = await setUp()
  const environment = { ...set.environment, HERMES_LLAMA_RUNTIME: '' }
  const { stderr, code } = await runForTest(command, ['local', 'Maker/Small-GGUF/small.gguf'], { environment })
  assert.equal(code, 1)
  assert.match(stderr, /node-llama-cpp 3\.21\.1, which runs it, about 85 MB, from npm to .*runtimes\/llama\n/)
})

test('the files of the home are listed among the models', async () => {
  await using set = await setUp()
  await set.run('Maker/Small-GGUF/small.gguf', '--yes')
  for (const argv of [['list'], ['list', '--provider', 'local']]) {
    const { stdout } = await runForTest(command, argv, { environment: set.environment })
    assert.match(stdout, /^local\/small +4\.1k/m)
  }
})
