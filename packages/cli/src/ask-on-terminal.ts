import { createInterface } from 'node:readline/promises'
import { unanswered } from '@hermes/core/agent/decision.ts'
import type { ApprovalChoice, Decide, DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import type { Cli } from './command.ts'
import { oneLine } from './tool-line.ts'

/** How long a question of a one-shot run stands before it counts as denied, ms. */
const answerTimeoutMs = 60_000

/** Asks on stderr and reads one line from the terminal; no answer in time denies. One question at a time. */
export function askOnTerminal(cli: Cli): Decide {
  let last: Promise<unknown> = Promise.resolve()
  return (request, signal) => {
    const answer = last.then(() => askOne(request, cli, signal))
    last = answer.catch(() => undefined)
    return answer
  }
}

async function askOne(request: DecisionRequest, cli: Cli, signal: AbortSignal): Promise<DecisionAnswer> {
  if (request.kind === 'secret') return unanswered(request, 'unavailable')
  const timeout = AbortSignal.timeout(answerTimeoutMs)
  const line = createInterface({ input: cli.stdin, output: cli.stderr, terminal: false })
  try {
    const text = (await line.question(questionText(request), { signal: AbortSignal.any([signal, timeout]) })).trim()
    return request.kind === 'approval' ? approval(text, request.choices) : clarification(text, request.choices)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (timeout.aborted) return unanswered(request, 'timeout')
    throw error
  } finally {
    line.close()
  }
}

function questionText(request: Exclude<DecisionRequest, { kind: 'secret' }>): string {
  if (request.kind === 'approval') {
    return `\nAllow this? ${request.reason}\n  ${oneLine(request.subject, 500)}\n[${request.choices.join('/')}] (deny) `
  }
  const choices = request.choices.map((choice, index) => `\n  ${index + 1}. ${oneLine(choice, 200)}`).join('')
  return `\n${oneLine(request.question, 500)}${choices}\n> `
}

/** A choice by its name or first letter; anything else denies. */
function approval(text: string, choices: readonly ApprovalChoice[]): DecisionAnswer {
  const wanted = text.toLowerCase()
  const choice = wanted === '' ? undefined : choices.find((one) => one.startsWith(wanted))
  return { kind: 'approval', choice: choice ?? 'deny' }
}

function clarification(text: string, choices: readonly string[]): DecisionAnswer {
  const picked = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined
  return { kind: 'clarify', answer: picked ?? (text || undefined), outcome: text ? 'answered' : 'unavailable' }
}
