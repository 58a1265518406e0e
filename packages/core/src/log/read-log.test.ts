import assert from 'node:assert/strict'
import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { isWanted, parseLogLine } from './log-filter.ts'
import { formatLogLine } from './log-line.ts'
import { followLines } from './follow-log.ts'
import { endOf, lastLines } from './read-log.ts'

async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-read-log-'))
  return {
    path: join(folder, 'agent.log'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

test('the last lines of a file are found from its end, however long they are', async () => {
  await using log = await open()
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.stringMatching(/^[a-zäß✓]{1,40}$/).map((text) => text.repeat(700)),
        { maxLength: 30 },
      ),
      fc.integer({ min: 1, max: 40 }),
      async (lines, count) => {
        await writeFile(log.path, lines.map((line) => `${line}\n`).join(''))
        assert.deepEqual(await lastLines(log.path, count, await endOf(log.path)), lines.slice(-count))
      },
    ),
    { numRuns: 40 },
  )
})

test('a file is followed as it grows, into the one that takes its place, and no line is lost or torn', async () => {
  await using log = await open()
  await writeFile(log.path, 'before\n')
  const from = await endOf(log.path)
  const ending = new AbortController()
  const lines = followLines(log.path, from, ending.signal)
  const next = async (count: number) => {
    const found: string[] = []
    while (found.length < count) {
      const { value } = await lines.next()
      found.push(String(value))
    }
    return found
  }
  await appendFile(log.path, 'one\ntw')
  const first = next(2)
  await appendFile(log.path, 'o ✓\n')
  assert.deepEqual(await first, ['one', 'two ✓'])
  await appendFile(log.path, 'last of the old\n')
  await rename(log.path, `${log.path}.1`)
  await writeFile(log.path, 'first of the new\n')
  assert.deepEqual(await next(2), ['last of the old', 'first of the new'])
  await rename(log.path, `${log.path}.1`)
  const later = next(1)
  await writeFile(log.path, 'again\n')
  assert.deepEqual(await later, ['again'])
  const over = lines.next()
  ending.abort()
  assert.equal((await over).done, true)
})

test('who reads slowly gets all lines of files that are put aside meanwhile, in their order', async () => {
  await using log = await open()
  const put = (name: string, count: number) =>
    appendFile(log.path, Array.from({ length: count }, (_, n) => `${name} ${n} ${'x'.repeat(500)}\n`).join(''))
  const aside = async () => {
    await rename(`${log.path}.1`, `${log.path}.2`).catch(() => undefined)
    await rename(log.path, `${log.path}.1`)
  }
  await put('first', 1)
  const ending = new AbortController()
  const lines = followLines(log.path, { inode: 0, size: 0 }, ending.signal)
  const name = async () => {
    const { value } = await lines.next()
    return String(value).split(' x')[0]
  }
  assert.equal(await name(), 'first 0')
  // More than is read at once, then two files that nobody looked at while they were the one of that name.
  await put('old', 6_000)
  await aside()
  await put('middle', 3)
  await aside()
  await put('new', 2)
  const expected = [
    ...Array.from({ length: 6_000 }, (_, n) => `old ${n}`),
    'middle 0',
    'middle 1',
    'middle 2',
    'new 0',
    'new 1',
  ]
  for (const one of expected) assert.equal(await name(), one)
  // As other programs do that put logs aside: copied, then emptied.
  await truncate(log.path)
  await put('again', 1)
  assert.equal(await name(), 'again 0')
  ending.abort()
})

test('lines are told apart by level, time, session and part of the program', () => {
  const time = new Date(2026, 3, 13, 9, 30, 0, 123).getTime()
  const line = formatLogLine({ level: 'warn', fields: { name: 'gateway.telegram', session: 's1' }, message: 'm', time })
  assert.deepEqual(parseLogLine(line), { time, level: 'WARNING', session: 's1', name: 'gateway.telegram' })
  const cases: readonly [Parameters<typeof isWanted>[1], boolean][] = [
    [{}, true],
    [{ level: 'WARNING' }, true],
    [{ level: 'ERROR' }, false],
    [{ since: time }, true],
    [{ since: time + 1 }, false],
    [{ session: 's1' }, true],
    [{ session: 's2' }, false],
    [{ component: 'gateway' }, true],
    [{ component: 'tools' }, false],
    [{ component: 'gateway', level: 'ERROR' }, false],
  ]
  for (const [filter, wanted] of cases) assert.equal(isWanted(line, filter), wanted, JSON.stringify(filter))
  assert.equal(isWanted('  File "x.py", line 3', { level: 'ERROR', since: time }), true)
  assert.equal(isWanted('  File "x.py", line 3', { component: 'agent' }), false)
  const other = formatLogLine({ level: 'info', fields: { name: 'gatewayish' }, message: 'm', time })
  assert.equal(isWanted(other, { component: 'gateway' }), false)
})
