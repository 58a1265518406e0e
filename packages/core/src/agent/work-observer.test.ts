import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { createContext } from './create-context.ts'
import { nobody } from './decision.ts'
import { runTurn } from './run-turn.ts'
import { observed, observersAsOne } from './work-observer.ts'
import type { WorkObserver } from './work-observer.ts'

/** Writes down what it sees, each piece of work with the ones that it began in. */
function watching() {
  const seen: string[] = []
  let within = ''
  const observer: WorkObserver = {
    begin(work) {
      const path = `${within}/${work.kind}`
      return {
        run(task) {
          const before = within
          within = path
          try {
            return task()
          } finally {
            within = before
          }
        },
        end: ({ status, code }) => void seen.push([path, status, code].filter(Boolean).join(' ')),
      }
    },
    note: (note) => void seen.push(`note ${note.kind}`),
  }
  return { seen, observer }
}

test('who watches sees turns, calls of models with what they took, and calls of tools, each end once', async () => {
  await using model = await startScriptedModel((_request, n) =>
    n === 0 ? { toolCalls: [{ name: 'todo', arguments: { todos: [] } }] } : { text: 'Done.' },
  )
  await using home = await temporaryHome({
    'config.yaml': `model: {default: m, base_url: "${model.url}", api_key: made-up-key-123456}`,
  })
  const [one, other] = [watching(), watching()]
  const observers = [one.observer, other.observer]
  await using context = await createContext({ environment: home.environment, cwd: home.dir, observers })
  const request = {
    session: { id: '20260101_000000_aaaaaa', source: 'cli' },
    message: { text: 'hi' },
    face: { name: 'cli', decide: nobody, isLasting: true },
    onlyTools: ['todo'],
  }
  await Array.fromAsync(runTurn(request, context, new AbortController().signal))
  const expected = ['/model-call ok', 'note spent', '/tool-call ok', '/model-call ok', 'note spent', '/turn completed']
  assert.deepEqual(one.seen.slice(0, expected.length).map(withoutPath), expected.map(withoutPath))
  assert.deepEqual(other.seen, one.seen)
  await nextRound()
  const log = await readFile(`${home.dir}/logs/agent.log`, 'utf8')
  assert.match(log, / INFO \[20260101_000000_aaaaaa\] agent: turn begins \{"face":"cli","model":"m"\}\n/)
  assert.match(log, / \[20260101_000000_aaaaaa\] agent: turn finished .*"tokens":\{"input":\d+,"output":\d+\}/)
  assert.doesNotMatch(log, /Done\./)
})

test('work inside work knows it, a failure is told by its code and thrown on', async () => {
  const { seen, observer } = watching()
  const work = (jobId: string) => () => ({ kind: 'job-run', jobId }) as const
  const failure = Object.assign(new Error('no'), { code: 'broken' })
  const all = observersAsOne([observer])
  const inner = () =>
    observed(
      all,
      work('b'),
      () => Promise.reject(failure),
      () => ({ status: 'ok' }),
    )
  await assert.rejects(
    observed(all, work('a'), inner, () => ({ status: 'ok' })),
    failure,
  )
  assert.deepEqual(seen, ['/job-run/job-run error broken', '/job-run error broken'])
  assert.equal(
    await observed(
      undefined,
      work('c'),
      async () => 7,
      () => ({ status: 'ok' }),
    ),
    7,
  )
  assert.equal(observersAsOne([]), undefined)
})

/** The observer of this test does not follow what is awaited. */
function withoutPath(line: string): string {
  return line.slice(line.lastIndexOf('/') + 1)
}
