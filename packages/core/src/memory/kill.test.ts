import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { openMemoryFiles } from './memory-files.ts'
import { parseEntries } from './memory-format.ts'

const program = fileURLToPath(new URL('kill.fixture.ts', import.meta.url))
const whole = /^Note (\d+) (new|changed): (?:word ){20}end \1\.$/
const rounds = 20

/** What is known to be in a file, by number, and the change after that, which may be done or not. */
function toldBy(lines: readonly string[], target: string): ReadonlyMap<number, string> {
  const known = new Map<number, string>()
  for (const line of lines) {
    const [of, what, number = '', version = ''] = line.split(' ')
    if (of !== target) continue
    if (what === '+') known.set(Number(number), version)
    else known.delete(Number(number))
  }
  return known
}

test('over kill -9 at 20 moments of memory writes no entry is lost, halved or doubled, and the next write goes on', async () => {
  const counts = new Set<number>()
  for (let round = 0; round < rounds; round++) {
    await using home = await temporaryHome()
    const child = spawn(process.execPath, ['--conditions=development', program, home.dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let told = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text))
    const closed = once(child, 'close')
    // After some changes, and at another point of the next one each time.
    while (told.split('\n').length <= 2 * round) await once(child.stdout, 'data')
    await wait((round * 1.7) % 9)
    child.kill('SIGKILL')
    await closed

    const lines = told.split('\n').slice(0, told.endsWith('\n') ? -1 : undefined)
    counts.add(lines.length)
    const memory = openMemoryFiles(home, { memoryChars: 2_200, userChars: 1_375 })
    for (const [target, file] of [
      ['memory', 'MEMORY.md'],
      ['user', 'USER.md'],
    ] as const) {
      const known = toldBy(lines, target)
      const { entries } = await memory.read(target)
      const found = new Map<number, string>()
      for (const entry of entries) {
        const [, number, version = ''] = whole.exec(entry) ?? []
        assert.ok(number !== undefined, `half an entry: ${entry}`)
        assert.ok(!found.has(Number(number)), 'no entry is there twice')
        found.set(Number(number), version)
      }
      // At most one change was under way: it is done or not.
      const different = [...new Set([...known.keys(), ...found.keys()])].filter((n) => known.get(n) !== found.get(n))
      assert.ok(different.length <= 1, `${different.length} entries are not as they were told to be`)
      await memory.add(target, 'And on.', AbortSignal.timeout(30_000))
      const text = await readFile(home.path('memories', file), 'utf8')
      assert.deepEqual(parseEntries(text), [...entries, 'And on.'])
    }
  }
  assert.ok(counts.size >= rounds / 2, `killed at different moments: after ${[...counts].join(', ')} changes`)
})
