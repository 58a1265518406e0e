import { createInterface } from 'node:readline'
import type { Decide } from '@hermes/core/agent/decision.ts'
import type { Cli } from './command.ts'
import { LineQuestions } from './repl/plain/line-questions.ts'

/** How long a question of a one-shot run stands before it counts as denied, ms. */
const answerTimeoutMs = 60_000

/**
 * Asks on stderr and reads the answer from the terminal, where a person sits at it; no answer in time denies. The input
 * is read only while a question is open, so that the program can end.
 */
export function askOnTerminal(cli: Cli): Decide {
  const questions = new LineQuestions({
    timeoutMs: () => answerTimeoutMs,
    write: (text) => void cli.stderr.write(`\n${text}`),
    setHidden: () => {},
  })
  return async (request, signal) => {
    const lines = createInterface({ input: cli.stdin, terminal: false })
    lines.on('line', (line) => questions.answer(line))
    try {
      return await questions.decide(request, signal)
    } finally {
      lines.close()
    }
  }
}
