import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { rolldown } from 'rolldown'

/** What a bundler for browsers makes of an entry of the SDK. */
async function bundled(code: string): Promise<string> {
  const entry = join(import.meta.dirname, 'entry.ts')
  await using bundle = await rolldown({
    input: entry,
    platform: 'browser',
    resolve: { conditionNames: ['browser', 'import', 'default'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm' })
  return output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('\n')
}

test('for a browser nothing of Node and no schema library is in it', async () => {
  const code = await bundled(`export * from './index.ts'`)
  assert.doesNotMatch(code, /from ["']node:|import\(["']node:|require\(/)
  assert.doesNotMatch(code, /ZodObject|\bzod\b/)
  assert.match(code, /sendVoice/)
  assert.ok(code.length < 45_000, `${code.length} characters`)
})

test('who uses one of the clients gets that one alone', async () => {
  const code = await bundled(`export { PhebyClient } from './index.ts'`)
  assert.match(code, /PhebyClient/)
  assert.doesNotMatch(code, /sendVoice/)
})
