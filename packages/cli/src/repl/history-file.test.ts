import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { appendHistory, loadHistory } from './history-file.ts'

async function inFolder(run: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-history-'))
  try {
    await run(join(folder, '.hermes_history'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('what was appended is loaded again, oldest first, whatever it holds', async () => {
  await inFolder(async (path) => {
    const entry = fc.string({ unit: fc.constantFrom('a', '+', '#', ' ', '\n', '数', '👋'), minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 5 }), async (entries) => {
        await rm(path, { force: true })
        for (const one of entries) await appendHistory(path, one, new Date())
        assert.deepEqual(await loadHistory(path), entries)
      }),
      { numRuns: 40 },
    )
  })
})

test("upstream's file is read, and an entry is appended in its form", async () => {
  await inFolder(async (path) => {
    await writeFile(
      path,
      '\n# 2026-01-02 03:04:05.678901\n+first\n+second line\n\n# 2026-01-02 03:05:00.000001\n+later\n',
    )
    assert.deepEqual(await loadHistory(path), ['first\nsecond line', 'later'])
    await appendHistory(path, 'ours', new Date(2026, 0, 2, 3, 6, 7, 8))
    assert.match(await readFile(path, 'utf8'), /\n\n# 2026-01-02 03:06:07\.008000\n\+ours\n$/)
  })
})

test('a new history can be read by its owner alone', async () => {
  await inFolder(async (path) => {
    await appendHistory(path, 'one', new Date())
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })
})

test('no file is an empty history', async () => {
  await inFolder(async (path) => assert.deepEqual(await loadHistory(path), []))
})

test('of a big history only whole entries from its end are loaded', async () => {
  await inFolder(async (path) => {
    const entries = Array.from({ length: 20_000 }, (_, index) => `# entry number ${index}`)
    await writeFile(path, entries.map((entry) => `\n# 2026-01-02 03:04:05.678901\n+${entry}\n`).join(''))
    const loaded = await loadHistory(path)
    assert.ok(loaded.length > 1000 && loaded.length < 10_000)
    assert.deepEqual(loaded, entries.slice(-loaded.length))
  })
})

test('a pipe in place of the history is waited for neither to read nor to write', async () => {
  await inFolder(async (path) => {
    await promisify(execFile)('mkfifo', [path])
    const late = AbortSignal.timeout(60_000)
    const tooLate = new Promise<never>((_, reject) => late.addEventListener('abort', () => reject(late.reason)))
    await assert.rejects(Promise.race([loadHistory(path), tooLate]), /is no file/)
    await assert.rejects(Promise.race([appendHistory(path, 'one', new Date()), tooLate]), { code: 'ENXIO' })
  })
})
