import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { VirtualTerminal } from '@hermes/testing/pty/virtual-terminal.ts'
import * as fc from 'fast-check'
import type { Block } from './screen.ts'
import { Screen } from './screen.ts'

/** A block whose lines the test changes. */
class Lines implements Block {
  final = true
  steady = true
  lines: readonly string[]
  constructor(...lines: readonly string[]) {
    this.lines = lines
  }
  render(width: number): readonly string[] {
    return this.lines.flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? [''])
  }
  invalidate(): void {}
}

const opened = new Set<Screen>()

afterEach(() => {
  for (const screen of opened) screen.stop()
  opened.clear()
})

interface Options {
  readonly columns?: number
  readonly rows?: number
  /** What is on the terminal when the screen takes it. */
  readonly written?: string
  readonly prepare?: (screen: Screen) => void
}

function open({ columns = 20, rows = 6, written = '', prepare }: Options = {}) {
  const terminal = new VirtualTerminal(columns, rows)
  void terminal.screen.write(written)
  const footer = new Lines('> ')
  const screen = new Screen(terminal, footer, { styled: true })
  prepare?.(screen)
  screen.start()
  opened.add(screen)
  const drawn = async () => {
    screen.renderNow()
    await terminal.screen.write('')
    return terminal.screen
  }
  return { terminal, screen, footer, drawn }
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`)

test('a transcript longer than the screen scrolls, the footer stays below it', async () => {
  const { screen, drawn } = open()
  screen.append(new Lines(...numbered(1, 9)))
  const seen = await drawn()
  assert.deepEqual(seen.lines(), ['line 5', 'line 6', 'line 7', 'line 8', 'line 9', '>'])
  assert.equal(seen.history(), [...numbered(1, 9), '>'].join('\n'))
})

test('only rows that changed are written', async () => {
  const { terminal, screen, drawn } = open()
  const clock = new Lines('1s')
  clock.final = false
  screen.append(new Lines(...numbered(1, 3)))
  screen.append(clock)
  await drawn()
  const before = terminal.written.length
  clock.lines = ['2s']
  const seen = await drawn()
  assert.equal(seen.text(), 'line 1\nline 2\nline 3\n2s\n>')
  assert.doesNotMatch(terminal.written.slice(before), /line|>/)
})

test('what was on the terminal before stays, also in the scrollback', async () => {
  const { screen, drawn } = open({ written: '$ ls\r\nREADME\r\n$ hermes\r\n' })
  screen.append(new Lines(...numbered(1, 2)))
  await drawn()
  screen.append(new Lines(...numbered(3, 8)))
  const seen = await drawn()
  assert.equal(seen.history(), ['$ ls', 'README', '$ hermes', ...numbered(1, 8), '>'].join('\n'))
})

test('after a change of size the screen is right again and nothing in the scrollback is lost', async () => {
  const { terminal, screen, drawn } = open({ written: '$ hermes\r\n' })
  screen.append(new Lines(...numbered(1, 3), 'a line of twenty....', ...numbered(5, 9)))
  await drawn()
  terminal.resize(12, 6)
  let seen = await drawn()
  assert.deepEqual(seen.lines(), ['line 5', 'line 6', 'line 7', 'line 8', 'line 9', '>'])
  terminal.resize(24, 9)
  seen = await drawn()
  assert.deepEqual(seen.lines(), ['line 2', 'line 3', 'a line of twenty....', ...numbered(5, 9), '>'])
  for (const line of ['$ hermes', ...numbered(1, 3), ...numbered(5, 9)]) assert.ok(seen.history().includes(line), line)
})

test('a short transcript is redrawn in place when the terminal gets narrower', async () => {
  const { terminal, screen, drawn } = open({ rows: 8, written: '$ hermes\r\n' })
  screen.append(new Lines('nineteen characters'))
  await drawn()
  terminal.resize(10, 8)
  const seen = await drawn()
  assert.equal(seen.text(), '$ hermes\nnineteen c\nharacters\n>')
})

test('a block that changes its shape does not leave the screen before it is final, then it is there whole', async () => {
  const { screen, drawn } = open()
  const table = new Lines(...numbered(1, 9))
  table.final = false
  table.steady = false
  screen.append(new Lines('before'))
  screen.append(table)
  let seen = await drawn()
  assert.equal(seen.history(), ['before', ...numbered(5, 9), '>'].join('\n'))
  table.lines = numbered(11, 19)
  table.final = true
  seen = await drawn()
  assert.equal(seen.history(), ['before', ...numbered(11, 19), '>'].join('\n'))
})

test('a block can be taken out while all of it is on the screen', async () => {
  const { screen, drawn } = open()
  const early = new Lines('early')
  const late = new Lines('late')
  screen.append(early)
  screen.append(new Lines(...numbered(1, 8)))
  screen.append(late)
  await drawn()
  assert.equal(screen.remove(early), false)
  assert.equal(screen.remove(late), true)
  const seen = await drawn()
  assert.equal(seen.history(), ['early', ...numbered(1, 8), '>'].join('\n'))
})

test('a footer that shrinks leaves no rows behind', async () => {
  const { footer, screen, drawn } = open()
  screen.append(new Lines('hello'))
  footer.lines = ['> /he', '/help', '/history']
  await drawn()
  footer.lines = ['> ']
  const seen = await drawn()
  assert.equal(seen.text(), 'hello\n>')
})

test('rows that are on the terminal already are taken over without being written again', async () => {
  const { terminal, screen, drawn } = open({
    written: 'banner\r\n> ',
    prepare(screen) {
      screen.adopt(['banner', '> '], 2)
      screen.append(new Lines('banner'))
    },
  })
  await drawn()
  assert.doesNotMatch(terminal.written, /banner/)
  screen.append(new Lines('more'))
  const seen = await drawn()
  assert.equal(seen.text(), 'banner\nmore\n>')
})

test('leaving takes the footer away and puts the cursor below the transcript', async () => {
  const { terminal, screen, drawn } = open()
  screen.append(new Lines('bye'))
  await drawn()
  screen.leave()
  await terminal.screen.write('$')
  assert.equal(terminal.screen.text(), 'bye\n$')
  assert.equal(terminal.isTaken, false)
})

test('taken up again after it was left, it draws below what was written meanwhile, and goes on drawing', async () => {
  const { terminal, screen, footer } = open()
  screen.append(new Lines('before'))
  screen.renderNow()
  screen.leave()
  screen.requestRender()
  await new Promise<void>((resolve) => setImmediate(resolve))
  await terminal.screen.write('$ ls\r\n')
  screen.start()
  await terminal.screen.waitFor('before\n$ ls\n>')
  footer.lines = ['> typed']
  screen.requestRender()
  await terminal.screen.waitFor('before\n$ ls\n> typed')
})

test('clearing empties the screen and keeps the scrollback', async () => {
  const { screen, drawn } = open()
  screen.append(new Lines(...numbered(1, 9)))
  await drawn()
  screen.clearScreen()
  const seen = await drawn()
  assert.equal(seen.text(), '>')
  assert.ok(seen.history().startsWith('line 1\nline 2\nline 3\nline 4'))
})

test('a long transcript is not kept whole, and is still shown whole', async () => {
  const { screen, drawn } = open()
  for (let index = 1; index <= 200; index++) {
    screen.append(new Lines(`line ${index}`))
    if (index % 7 === 0) await drawn()
  }
  const seen = await drawn()
  assert.equal(seen.history(), [...numbered(1, 200), '>'].join('\n'))
})

type Step = { readonly kind: 'add' | 'grow' | 'footer' | 'draw'; readonly count: number }

test('whatever is added in whatever order, the history is the transcript and the screen is its end', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('add', 'grow', 'footer', 'draw'),
    count: fc.integer({ min: 1, max: 9 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { screen, footer, drawn } = open({ rows: 7 })
      const all: string[] = []
      let last: Lines | undefined
      let count = 0
      for (const one of [...steps, { kind: 'footer', count: 1 } as const]) {
        if (one.kind === 'footer') footer.lines = numbered(1, one.count % 4).map((line) => `footer ${line}`)
        if (one.kind === 'draw') await drawn()
        if (one.kind === 'add' || one.kind === 'grow') {
          const more = numbered(count + 1, count + one.count)
          count += one.count
          all.push(...more)
          if (one.kind === 'grow' && last) last.lines = [...last.lines, ...more]
          else {
            if (last) last.final = true
            last = new Lines(...more)
            last.final = false
            screen.append(last)
          }
        }
      }
      const seen = await drawn()
      const rows = [...all, ...footer.lines]
      const screenful = seen.lines().filter((line) => line !== '')
      assert.deepEqual(rows.slice(-screenful.length), screenful)
      const withoutFooters = seen
        .history()
        .split('\n')
        .filter((line) => !line.startsWith('footer'))
      if (all.length > 0) assert.deepEqual(withoutFooters, all)
      screen.stop()
      opened.delete(screen)
    }),
    { numRuns: 60 },
  )
})
