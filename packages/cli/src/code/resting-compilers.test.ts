import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** Runs in a process of its own, whose flags it changes; prints what was optimized, and the flags' version. */
const program = `
import { setTimeout as wait } from 'node:timers/promises'
import { cachedDataVersionTag } from 'node:v8'
import { restCompilers, wakeCompilers, wakeCompilersUnderLoad } from ${JSON.stringify(import.meta.resolve('./resting-compilers.ts'))}
import { createV8Flags } from ${JSON.stringify(import.meta.resolve('./v8-flags.ts'))}
restCompilers()
const resting = cachedDataVersionTag()
const flags = createV8Flags(true)
// Bits that V8 gives, of src/runtime/runtime.h.
const [optimized, baseline] = [1 << 4, 1 << 15]
const kept = []
const fill = (from) => { for (let n = 0; n < 20_000; n++) kept[(from + n) % 5_000] = { n, parts: [n] } }
const isCompiled = (f) => (%GetOptimizationStatus(f) & (optimized | baseline)) !== 0
for (let n = 0; n < 500; n++) fill(n)
const before = isCompiled(fill)
if (process.argv[1] === 'now') wakeCompilers(flags)
using _watch = process.argv[1] === 'now' ? undefined : wakeCompilersUnderLoad(flags)
const end = Date.now() + 60_000
while (cachedDataVersionTag() === resting && Date.now() < end) { fill(Date.now()); await wait(1) }
const woken = cachedDataVersionTag() !== resting
while (!isCompiled(fill) && Date.now() < end) { fill(Date.now()); await wait(1) }
console.log(JSON.stringify({ before, woken, after: isCompiled(fill), isUsual: flags.usually(cachedDataVersionTag) === resting }))
`

for (const when of ['now', 'under load']) {
  test(`compilers rest until they are woken, ${when}; what is kept is compiled as under resting ones`, async () => {
    const flags = ['--allow-natives-syntax', '--input-type=module', '-e', program, when]
    const { stdout } = await promisify(execFile)(process.execPath, flags)
    assert.deepEqual(JSON.parse(stdout), { before: false, woken: true, after: true, isUsual: true })
  })
}
