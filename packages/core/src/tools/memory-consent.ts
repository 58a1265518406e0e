import type { ApprovalChoice } from '../agent/decision.ts'
import type { ToolContext } from './tool.ts'

/** What a session-wide approval covers. */
const key = 'memory-write'

const choices: readonly ApprovalChoice[] = ['once', 'session', 'deny']

/** Longest subject that is shown, characters. */
const shownChars = 2_000

/** Whether memory may be written (`memory.write_approval`): the person says so; silence is no. */
export async function mayWriteMemory(subject: string, context: ToolContext): Promise<boolean> {
  const { agent, session, decide, callId, signal } = context
  if (!agent.config.memory.write_approval || session.yolo || session.approved.has(key)) return true
  const shown = agent.redactor.redact(subject).slice(0, shownChars).toWellFormed()
  const question = {
    kind: 'approval',
    id: callId,
    subject: shown,
    reason: 'write to memory',
    keys: [key],
    choices,
  } as const
  const answer = await decide(question, signal)
  if (answer.kind !== 'approval') return false
  if (answer.choice === 'session') session.approved.add(key)
  return answer.choice === 'once' || answer.choice === 'session'
}
