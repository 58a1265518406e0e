import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { entitiesIn } from './entities.ts'

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['Ann Lee works at Acme in New York.', ['Ann Lee', 'Acme', 'New York']],
  ['The user prefers dark mode.', []],
  ['The staging cluster is called "heron" and \'crane\'.', ['heron', 'crane']],
  ['Deploy with `make ship`, ask @mira.', ['make ship', '@mira']],
  ['项目「青鸟」使用 pnpm', ['青鸟']],
  ["Talked with Bob's sister about Élodie.", ['Bob', 'Élodie']],
  ['On Monday the User met Carla.', ['Carla']],
  ["don't, can't, it's", []],
]

for (const [text, expected] of cases) {
  test(`entities in: ${text}`, () => {
    assert.deepEqual(
      entitiesIn(text)
        .map(({ name }) => name)
        .toSorted(),
      expected.toSorted(),
    )
  })
}

test('another name is an alias', () => {
  const found = entitiesIn('Jonathan Smith aka Jon lives in Leeds')
  assert.deepEqual(
    found.map(({ name, aliases }) => [name, aliases]),
    [
      ['Jonathan Smith', ['Jon']],
      ['Leeds', []],
    ],
  )
})

test('a long text takes no long time', () => {
  const started = processorMs()
  entitiesIn(`${'Ann aka '.repeat(2_000)}${"'".repeat(4_000)}${'A'.repeat(4_000)}`)
  assert.ok(processorMs() - started < 1_000)
})
