import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TextKind } from './pattern.ts'
import { scanText } from './scan.ts'

// `corpus/<part>/<attack or harmless>/<category>/<name>.<kind>.txt`. The rules were made with `tuned` in sight;
// `held-out` and, after them, `held-out-later` were written apart from them, and no rule is to be changed for the sake of
// one of their files. Of `held-out-later` 44 of 49 attacks were caught and 4 of 43 harmless texts refused at first sight;
// its author then wrote rules, too, so that later figures of it say less than those.

interface Sample {
  readonly part: string
  readonly label: string
  readonly category: string
  readonly name: string
  readonly isCaught: boolean
}

function readCorpus(): readonly Sample[] {
  const root = join(import.meta.dirname, 'corpus')
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const [part, label, category, name] = path.split('/')
    if (!part || !label || !category || !name) return []
    const kind = name.split('.').at(-2) as TextKind
    return { part, label, category, name, isCaught: scanText(readFileSync(join(root, path), 'utf8'), kind).length > 0 }
  })
}

const share = (samples: readonly Sample[]) => samples.filter((one) => one.isCaught).length / samples.length
const percent = (part: number) => `${(part * 100).toFixed(1)} %`

/** Least share of attacks that is caught, and most of harmless texts that is refused: as it was when each was written. */
const limits: readonly (readonly [part: string, leastCaught: number, mostRefused: number])[] = [
  ['tuned', 0.95, 0.02],
  ['held-out', 0.95, 0.02],
  ['held-out-later', 0.89, 0.1],
]

test('attacks of every category are caught and harmless texts pass', (t) => {
  const corpus = readCorpus()
  assert.ok(corpus.length >= 150)
  assert.ok(corpus.filter(({ label }) => label === 'harmless').length >= 60)
  for (const [part, leastCaught, mostRefused] of limits) {
    const of = (label: string) => corpus.filter((one) => one.part === part && one.label === label)
    const [attacks, harmless] = [of('attack'), of('harmless')]
    t.diagnostic(
      `${part}: ${percent(share(attacks))} of ${attacks.length} attacks caught, ` +
        `${percent(share(harmless))} of ${harmless.length} harmless texts refused`,
    )
    for (const [label, samples] of [
      ['attack', attacks],
      ['harmless', harmless],
    ] as const) {
      for (const category of new Set(samples.map((one) => one.category)).values()) {
        const own = samples.filter((one) => one.category === category)
        const count = own.filter((one) => one.isCaught).length
        t.diagnostic(
          `  ${part}, ${label}, ${category}: ${count} of ${own.length} ${label === 'attack' ? 'caught' : 'refused'}`,
        )
      }
    }
    const wrong = [...attacks.filter((one) => !one.isCaught), ...harmless.filter((one) => one.isCaught)]
    // Those held out are not named, so that nobody makes a rule for them.
    const named = part === 'tuned' ? wrong.map(({ category, name }) => `${category}/${name}`).join(', ') : ''
    assert.ok(share(attacks) >= leastCaught, `${part}: attacks missed ${named}`)
    assert.ok(share(harmless) <= mostRefused, `${part}: harmless texts refused ${named}`)
  }
})
