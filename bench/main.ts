// Measures what people feel: start-up, a turn, the tool loop, the first prompt, the store, search and memory; each as a
// ratio to the least that the same work costs in bare Node, measured in the same run.
// `npm run bench` runs all rows; `npm run bench -- start-up store` some; `--json` prints them for programs; `--gate` exits
// with 1 when a goal is missed.
import { existsSync } from 'node:fs'
import { report, reached } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes } from './processes.ts'

const groups: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  'start-up': async () => (await import('./start-up.ts')).startUp(),
  'one-shot': async () => (await import('./one-shot.ts')).oneShot(),
  'tool-loop': async () => (await import('./tool-loop.ts')).toolLoop(),
  tools: async () => (await import('./tools.ts')).tools(),
  models: async () => (await import('./models.ts')).models(),
  repl: async () => (await import('./repl.ts')).repl(),
  store: async () => (await import('./store.ts')).store(),
  api: async () => (await import('./api.ts')).api(),
  gateway: async () => (await import('./gateway.ts')).gateway(),
  phones: async () => (await import('./phones.ts')).phones(),
}

const args = process.argv.slice(2)
const wanted = args.filter((arg) => !arg.startsWith('--'))
const unknown = wanted.filter((name) => !(name in groups))
if (unknown.length > 0) fail(`There is no group ${unknown.join(', ')}; there are ${Object.keys(groups).join(', ')}.`)
if (!existsSync(hermes)) fail('Build first: npm run build')

const rows: Row[] = []
for (const [name, run] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`measuring ${name} ...\n`)
  rows.push(...(await run()))
}
process.stdout.write(args.includes('--json') ? `${JSON.stringify(rows, null, 2)}\n` : `${report(rows)}\n`)
if (args.includes('--gate') && rows.some((row) => reached(row) === false)) process.exitCode = 1

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
