import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'

const maxIterations = 20

/** Does what `BOOT.md` says, where there is one; nobody is asked. What it reports is logged. */
export async function runBoot(agent: AgentContext, signal: AbortSignal): Promise<void> {
  const { home, log } = agent
  const text = (await readFile(home.path('BOOT.md'), 'utf8').catch(() => '')).trim()
  if (text === '') return
  const request = {
    session: { id: `boot_${randomBytes(6).toString('hex')}`, source: 'gateway' },
    message: {
      text: `The gateway has just started. Do what these instructions of its owner say; answer [SILENT] alone where there is nothing to report.\n\n${text}`,
    },
    face: { name: 'gateway', decide: nobody, contextFiles: false },
    minimalPrompt: true,
    maxIterations,
  }
  for await (const event of runTurn(request, agent, signal)) {
    if (event.type !== 'turn-end') continue
    const { status, text: answer, failure } = event
    if (status !== 'completed') log.warn({ status, error: failure?.message }, 'BOOT.md was not done')
    else if (!/\[SILENT\]/i.test(answer)) log.info({ answer: answer.slice(0, 500) }, 'BOOT.md is done')
  }
}
