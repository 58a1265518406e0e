// `npm run check`: format, lint (type-aware), types, and the direction of dependencies between packages.
// `npm run check -- --fix` formats and fixes what can be fixed by itself.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (name) => join(root, 'node_modules', '.bin', name)
const fix = process.argv.includes('--fix')

const steps = [
  ['format', bin('oxfmt'), fix ? [] : ['--check']],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings', ...(fix ? ['--fix'] : [])]],
  ['types', bin('tsc'), ['--noEmit']],
  ['types of the SDK', bin('tsc'), ['-p', 'sdk/typescript']],
  ['types of the phone app', bin('tsc'), ['-p', 'packages/phone-app']],
  ['layers', process.execPath, ['scripts/check-layers.ts']],
]
const failed = []
for (const [name, command, args] of steps) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  const ok = result.status === 0
  if (!ok) failed.push(name)
  console.log(`${ok ? 'ok' : 'FAILED'}  ${name}`)
  if (!ok) console.log(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}`)
}
if (failed.length > 0) {
  console.log(`\nFailed: ${failed.join(', ')}. Try: npm run check -- --fix`)
  process.exit(1)
}
