import assert from 'node:assert/strict'
import { test } from 'node:test'
import { windowFor } from './window.ts'

const gigabyte = 1024 ** 3
const of = (header: Parameters<typeof windowFor>[0], configured?: number, gigabytes = 64) =>
  windowFor(header, { configured, memoryBytes: gigabytes * gigabyte })

test('the window is the file’s, up to what is usual', () => {
  assert.equal(of({ contextLength: 8192, bytesPerToken: 23_040 }), 8192)
  assert.equal(of({ contextLength: 262_144, bytesPerToken: 23_040 }), 32_768)
  assert.equal(of({ contextLength: undefined, bytesPerToken: undefined }), 4096)
})

test('attention of two conversations takes a quarter of the memory at most', () => {
  const bytesPerToken = 147_456
  const window = of({ contextLength: 40_960, bytesPerToken }, undefined, 16)
  assert.ok(window * 2 * bytesPerToken <= 4 * gigabyte)
  assert.ok((window + 512) * 2 * bytesPerToken > 4 * gigabyte)
  assert.equal(of({ contextLength: 40_960, bytesPerToken }, undefined, 1), 2048)
})

test('a window that is set is taken, up to what the model was trained for', () => {
  assert.equal(of({ contextLength: 131_072, bytesPerToken: 147_456 }, 65_536, 4), 65_536)
  assert.equal(of({ contextLength: 8192, bytesPerToken: 147_456 }, 65_536), 8192)
})
