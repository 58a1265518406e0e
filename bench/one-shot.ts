import { readFile, writeFile } from 'node:fs/promises'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { interleaved, median, timed } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes, node } from './processes.ts'

/** A whole process that asks a model one thing and ends. */
export async function oneShot(): Promise<readonly Row[]> {
  await using model = await startScriptedModel(() => ({ text: 'The answer is 42.' }))
  await using home = await temporaryHome({
    'config.yaml': `model:\n  default: scripted-model\n  base_url: ${model.url}\n  api_key: made-up-key\n`,
  })
  const env = home.environment
  const toFirstRequest: number[] = []
  const figures = await interleaved(15, {
    bare: () => timed(() => node(['-e', '0'], env)),
    turn: () =>
      timed(async () => {
        const from = process.hrtime.bigint()
        await node([hermes, '-q', '-t', 'What is the answer?'], env)
        toFirstRequest.push(Number((model.requests.at(-1)?.arrivedAtNs ?? from) - from) / 1e6)
      }),
  })
  const ms = { unit: 'ms', floor: figures.bare, floorName: 'node -e 0' }
  return [
    { name: 'one-shot turn, whole process', value: figures.turn, ...ms, goal: { ratioAtMost: 4.5 } },
    { name: '... to the first request', value: median(toFirstRequest.slice(1)), ...ms },
    {
      name: '... peak resident memory',
      value: await peakMemory([hermes, '-q', '-t', 'What is the answer?'], env, home.path('peak')),
      unit: 'MB',
      floor: await peakMemory(['-e', '0'], env, home.path('peak')),
      floorName: 'node -e 0',
      goal: { atMost: 80 },
    },
  ]
}

/** Peak resident memory of a Node process by its own account at its end, MB; median of five runs. */
async function peakMemory(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  file: string,
): Promise<number> {
  const hook = `process.on('exit',()=>require('node:fs').writeFileSync(${JSON.stringify(file)},String(process.resourceUsage().maxRSS)))`
  const values: number[] = []
  await writeFile(`${file}.cjs`, hook)
  for (let i = 0; i < 5; i++) {
    await node(['--require', `${file}.cjs`, ...args], env)
    values.push(Number(await readFile(file, 'utf8')) / 1024)
  }
  return median(values)
}
