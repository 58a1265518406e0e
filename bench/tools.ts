import { mkdtemp, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDangers } from '@hermes/core/security/commands/dangerous-commands.ts'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { median } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes, node } from './processes.ts'

/** Calls in one answer, and turns with so many. */
const calls = 100
const rounds = 7

/** Command lines as agents write them. */
const commands: readonly string[] = [
  'ls -la src',
  'git status --short && git diff --stat',
  "grep -rn 'TODO' packages | head -20",
  'npm test -- --grep "reads a file" 2>&1 | tail -40',
  'cd packages/core && node --test src/tools/*.test.ts',
  "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
  'for f in *.md; do echo "$f"; head -1 "$f"; done',
  "python3 - <<'X'\nprint(1)\nX",
  'rm -rf build',
  'curl -s https://example.com/a.json | jq .name',
]

/** What a tool call costs beside what the tool does: schema, policy, consent, events, and its rows in the store. */
export async function tools(): Promise<readonly Row[]> {
  const [own, floor] = [await ownCost(), await twoInserts()]
  return [
    {
      name: 'a tool call’s own cost (todo, one of 100 in an answer)',
      value: own,
      unit: 'ms',
      floor,
      floorName: 'two inserts in raw node:sqlite',
      goal: { atMost: 1 },
    },
    {
      name: 'judging a command line for consent',
      value: await judging(),
      unit: 'ms',
      goal: { atMost: 1 },
    },
  ]
}

/** From an answer to the next request: what an answer with 100 calls takes longer than one with one call, a call. */
async function ownCost(): Promise<number> {
  const call = { name: 'todo', arguments: {} }
  await using model = await startScriptedModel((_request, n) => {
    const step = n % 4
    if (step === 3) return { text: 'Done.' }
    return { toolCalls: Array.from({ length: step === 1 ? calls : 1 }, () => call) }
  })
  await using home = await temporaryHome({
    'config.yaml': `model:\n  default: scripted-model\n  base_url: ${model.url}\n  api_key: made-up-key\n`,
  })
  const costs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const first = model.requests.length
    await node([hermes, '-q', '-t', 'Look at the list.'], home.environment)
    const took = model.requests.slice(first).map((request, index, all) => {
      const previous = all[index - 1]
      return previous?.endedAtNs === undefined ? 0 : Number(request.arrivedAtNs - previous.endedAtNs) / 1e6
    })
    const [, , many = 0, one = 0] = took
    costs.push((many - one) / (calls - 1))
  }
  return median(costs)
}

/** A call and its result are two rows, each stored for good before the next thing happens. */
async function twoInserts(): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'hermes-bench-'))
  try {
    using database = new DatabaseSync(join(dir, 'floor.db'))
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE messages (role TEXT, content TEXT)',
    )
    const insert = database.prepare('INSERT INTO messages VALUES (?, ?)')
    const times: number[] = []
    for (let number = 0; number < 500; number++) {
      const from = performance.now()
      insert.run('assistant', '{"name":"todo","arguments":{}}')
      insert.run('tool', '{"todos":[]}')
      times.push(performance.now() - from)
    }
    return median(times)
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function judging(): Promise<number> {
  const place = { cwd: '/work/project', userHome: '/home/ann', hermesHome: '/home/ann/.hermes' }
  const times: number[] = []
  for (let round = 0; round < 30; round++) {
    for (const command of commands) {
      const from = performance.now()
      await findDangers(command, place)
      times.push(performance.now() - from)
    }
  }
  return median(times)
}
