import { temporaryHome } from '@hermes/testing'
import { openPty } from '@hermes/testing/pty/pty.ts'
import { interleaved } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes } from './processes.ts'

/** From start to the first prompt that can be typed at, in a pseudo-terminal. */
export async function repl(): Promise<readonly Row[]> {
  await using home = await temporaryHome()
  const figures = await interleaved(15, {
    bare: () => untilSeen(['-e', 'process.stdout.write("❯ ")'], home.environment),
    prompt: () => untilSeen([hermes], home.environment),
  })
  return [
    {
      name: "REPL's first prompt",
      value: figures.prompt,
      unit: 'ms',
      floor: figures.bare,
      floorName: 'node, one write to a pty',
      goal: { ratioAtMost: 4 },
    },
  ]
}

async function untilSeen(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const from = performance.now()
  await using pty = openPty(process.execPath, args, { env, cwd: env['HERMES_HOME'] ?? '/' })
  await pty.screen.waitFor('❯')
  return performance.now() - from
}
