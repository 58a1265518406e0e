import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { median, timed } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes, node } from './processes.ts'

const iterations = 20
const rounds = 7

/** From the last byte of an answer that calls the terminal to the next request, over a loop of 20 calls. */
export async function toolLoop(): Promise<readonly Row[]> {
  await using model = await startScriptedModel((_request, n) =>
    n % (iterations + 1) < iterations
      ? { toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] }
      : { text: 'Done.' },
  )
  await using home = await temporaryHome({
    'config.yaml': `model:\n  default: scripted-model\n  base_url: ${model.url}\n  api_key: made-up-key\n`,
  })
  const spawns: number[] = []
  const loops: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < iterations; i++) spawns.push(await timed(bareSpawn))
    const first = model.requests.length
    await node([hermes, '-q', '-t', 'Say hi twenty times.'], home.environment)
    const requests = model.requests.slice(first)
    for (const [index, request] of requests.entries()) {
      const previous = requests[index - 1]
      // The first call of a loop opens the terminal; it is part of the loop all the same.
      if (previous?.endedAtNs !== undefined) loops.push(Number(request.arrivedAtNs - previous.endedAtNs) / 1e6)
    }
  }
  return [
    {
      name: 'tool loop, one `echo hi`: answer to next request',
      value: median(loops),
      unit: 'ms',
      floor: median(spawns),
      floorName: 'spawn bash',
      goal: { ratioAtMost: 2 },
    },
  ]
}

async function bareSpawn(): Promise<void> {
  const child = spawn('bash', ['-c', 'echo hi'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'close')
}
