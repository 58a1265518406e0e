import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { ggufBytes, smallModel, writeGguf } from '@hermes/testing/llama/gguf.ts'
import * as fc from 'fast-check'
import { ModelError } from '../model-error.ts'
import { readGgufHeader } from './gguf-header.ts'

test('a model file’s head tells its name, its window and what a token takes', async () => {
  await using home = await temporaryHome()
  const path = home.path('small.gguf')
  await writeGguf(path, { 'general.tags': ['a', 'bc'], ...smallModel })
  const header = await readGgufHeader(path)
  assert.deepEqual(
    [header.architecture, header.name, header.contextLength, header.bytesPerToken],
    ['llama', 'Small', 4096, 2 * 2 * (16 + 16) * 2],
  )
})

test('what comes behind the vocabulary is not needed', async () => {
  await using home = await temporaryHome()
  const path = home.path('small.gguf')
  const tokens = Array.from({ length: 100_000 }, (_, at) => `token ${at}`)
  await writeGguf(path, { ...smallModel, 'tokenizer.ggml.tokens': tokens, 'llama.context_length.late': 1 })
  assert.equal((await readGgufHeader(path)).contextLength, 4096)
})

test('a missing file, another kind of file and a folder are told apart', async () => {
  await using home = await temporaryHome({ 'text.gguf': 'Not a model, but long enough to have a head.' })
  await assert.rejects(readGgufHeader(home.path('none.gguf')), {
    code: 'model-not-found',
    message: /hermes model local/,
  })
  await assert.rejects(readGgufHeader(home.path('text.gguf')), { code: 'invalid-request', message: /no GGUF file/ })
  await assert.rejects(readGgufHeader(home.dir), { code: 'invalid-request', message: /cannot be read/ })
})

test('a file that is cut off or broken anywhere is read as far as it goes, or refused', async () => {
  await using home = await temporaryHome()
  const path = home.path('broken.gguf')
  const whole = ggufBytes({ 'general.tags': ['a', 'bc'], ...smallModel })
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), async (length, at, byte) => {
      const bytes = Buffer.from(whole)
      bytes[at] = byte
      await writeFile(path, bytes.subarray(0, length))
      try {
        const { contextLength } = await readGgufHeader(path)
        assert.ok(contextLength === undefined || contextLength > 0)
      } catch (error) {
        assert.ok(error instanceof ModelError)
      }
    }),
  )
})
