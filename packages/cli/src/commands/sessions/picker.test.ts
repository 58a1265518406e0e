import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import type { SessionListing } from '@hermes/core/sessions/store.ts'
import { Screen } from '@hermes/testing/pty/screen.ts'
import type { Cli } from '../../command.ts'
import { pickerStep, type PickerKey, type PickerState } from '../../picker/picker-state.ts'
import { pickSession, sessionText } from './picker.ts'

const clock = { now: () => Date.UTC(2026, 2, 10, 12), timeZone: 'UTC' }

function session(id: string, title: string): SessionListing {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  return {
    id,
    source: 'cli',
    userId: undefined,
    model: undefined,
    systemPrompt: undefined,
    parentId: undefined,
    startedAt: clock.now(),
    endedAt: undefined,
    endReason: undefined,
    messageCount: 1,
    toolCallCount: 0,
    usage,
    estimatedCostUsd: undefined,
    title,
    preview: `preview of ${id}`,
    lastActiveAt: clock.now(),
  }
}

const sessions = [session('a', 'first plan'), session('b', '数据库计划'), session('c', 'last thing')]

/** Presses keys; the id that was chosen, `undefined` after leaving, or the state. */
function press(...keys: readonly PickerKey[]): PickerState<SessionListing> | string | undefined {
  let state: PickerState<SessionListing> = { items: sessions, filter: '', selected: 0 }
  for (const key of keys) {
    const step = pickerStep(state, key, sessionText)
    if (step.type !== 'go-on') return step.type === 'chosen' ? step.item.id : undefined
    state = step.state
  }
  return state
}

const down: PickerKey = { type: 'move', by: 1 }
const choose: PickerKey = { type: 'choose' }
const back: PickerKey = { type: 'back' }
const typed = (text: string): PickerKey => ({ type: 'type', text })

test('moving stays within the list, and choosing takes what is marked', () => {
  assert.equal(press(choose), 'a')
  assert.equal(press(down, down, down, down, choose), 'c')
  assert.equal(press({ type: 'move', by: -Infinity }, choose), 'a')
})

test('typing filters by every word, and what does not match cannot be chosen', () => {
  assert.equal(press(typed('plan '), typed('FIRST'), choose), 'a')
  assert.equal(press(down, down, typed('库'), choose), 'b')
  assert.deepEqual(press(typed('zzz'), choose), { items: sessions, filter: 'zzz', selected: 0 })
  assert.equal(press(typed('zz'), { type: 'erase' }, { type: 'erase' }, down, choose), 'b')
})

test('back empties the filter, then leaves; q leaves only where nothing is typed', () => {
  assert.equal(press(typed('x'), back, back), undefined)
  assert.equal(press(typed('q')), undefined)
  assert.deepEqual(press(typed('x'), typed('q')), { items: sessions, filter: 'xq', selected: 0 })
})

/** The picker on a terminal that is drawn. */
function openPicker(t: TestContext, { columns = 60, rows = 12 } = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const rawModes: boolean[] = []
  Object.assign(stdin, { isTTY: true, setRawMode: (raw: boolean) => rawModes.push(raw) })
  Object.assign(stdout, { isTTY: true, columns, rows })
  const screen = new Screen({ columns, rows })
  stdout.on('data', (data: Buffer) => void screen.write(data))
  const stop = new AbortController()
  t.after(() => stop.abort())
  const cli: Cli = { environment: {}, cwd: '/', stdin, stdout, stderr, signal: stop.signal }
  return { picked: pickSession(sessions, clock, cli), screen, stdin, stdout, stop, rawModes }
}

test('the picker draws the sessions, follows the keys, and gives the terminal back', async (t) => {
  const { picked, screen, stdin, rawModes } = openPicker(t)
  await screen.waitFor('last thing')
  assert.match(
    screen.text(),
    /^Sessions \(3\)\n {2}Title +Preview +Last Active +ID\n> first plan +preview of a +just now +a\n/,
  )
  stdin.write('\u001b[B')
  await screen.waitFor('> 数据库计划')
  stdin.write('la')
  await screen.waitFor('Filter: la')
  assert.ok(screen.text().includes('first plan') && !screen.text().includes('数据库'))
  stdin.write('st t')
  await screen.waitFor('> last thing')
  stdin.write('\r')
  assert.equal(await picked, 'c')
  await screen.write('')
  assert.equal(screen.text(), '')
  assert.deepEqual(rawModes, [true, false])
})

test('Escape, Ctrl-C, the end of the input and an abort leave without a choice', async (t) => {
  for (const leave of ['\u001b', '\u0003']) {
    const { picked, stdin } = openPicker(t)
    stdin.write(leave)
    assert.equal(await picked, undefined)
  }
  const ended = openPicker(t)
  ended.stdin.end()
  assert.equal(await ended.picked, undefined)
  const aborted = openPicker(t)
  aborted.stop.abort()
  assert.equal(await aborted.picked, undefined)
})

test('a small or resized terminal shows the marked session', async (t) => {
  const { picked, screen, stdin, stdout } = openPicker(t, { columns: 40, rows: 5 })
  await screen.waitFor('> first plan')
  stdin.write('\u001b[F')
  await screen.waitFor('> last thing')
  assert.ok(screen.lines().every((line) => line.length <= 40))
  Object.assign(stdout, { columns: 70, rows: 10 })
  screen.resize(70, 10)
  stdout.emit('resize')
  await screen.waitFor('first plan')
  stdin.write('\r')
  assert.equal(await picked, 'c')
})
