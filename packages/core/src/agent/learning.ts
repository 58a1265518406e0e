import type { Config } from '../config/schema.ts'
import type { PromptNotice } from '../context/blocks/block.ts'

/** What a session has learnt since it was last looked through for what should stay. */
export interface LearningState {
  /** Turns since an entry of memory was written, or memory was reviewed. */
  turnsSinceMemory: number
  /** Answers with tool calls since a skill was written, or skills were reviewed. */
  stepsSinceSkill: number
  /** Turns that no review has seen. */
  turnsSinceReview: number
  /** What reviews have kept and nobody was told yet. */
  kept: readonly string[]
}

export function createLearningState(): LearningState {
  return { turnsSinceMemory: 0, stepsSinceSkill: 0, turnsSinceReview: 0, kept: [] }
}

export type LearningSubject = 'memory' | 'skills'

/** A turn of a person begins. */
export function noteTurn(state: LearningState): void {
  state.turnsSinceMemory += 1
  state.turnsSinceReview += 1
}

/** The tools of one answer were called. */
export function noteCalls(state: LearningState, names: readonly string[]): void {
  state.stepsSinceSkill += 1
  if (names.includes('memory')) state.turnsSinceMemory = 0
  if (names.includes('skill_manage')) state.stepsSinceSkill = 0
}

/** What a review has seen. */
export function noteReview(state: LearningState, subjects: readonly LearningSubject[]): void {
  state.turnsSinceReview = 0
  if (subjects.includes('memory')) state.turnsSinceMemory = 0
  if (subjects.includes('skills')) state.stepsSinceSkill = 0
}

/** What reviews have kept, for people: told once. */
export function takeKept(state: LearningState): PromptNotice[] {
  if (state.kept.length === 0) return []
  const message = `Kept from this conversation: ${state.kept.join('; ')}`
  state.kept = []
  return [{ level: 'info', code: 'memories-kept', message }]
}

/** What it is time to review: `memory.nudge_interval`, `skills.creation_nudge_interval`. */
export function dueSubjects(
  state: LearningState,
  { memory, skills }: Pick<Config, 'memory' | 'skills'>,
  hasTool: (name: string) => boolean,
): LearningSubject[] {
  const isDue = (count: number, interval: number) => interval > 0 && count >= interval
  const due: LearningSubject[] = []
  // Where a person has to agree to each entry, none is written while they do something else.
  const mayWrite = hasTool('memory') && !memory.write_approval
  if (mayWrite && isDue(state.turnsSinceMemory, memory.nudge_interval)) due.push('memory')
  if (hasTool('skill_manage') && isDue(state.stepsSinceSkill, skills.creation_nudge_interval)) due.push('skills')
  return due
}

/** Whether a session is long enough to be looked through before it goes: `memory.flush_min_turns`. */
export function isFlushDue(
  state: LearningState,
  userTurns: number,
  { memory }: Pick<Config, 'memory'>,
  hasTool: (name: string) => boolean,
): boolean {
  const { flush_min_turns: least, write_approval: asks } = memory
  return least > 0 && userTurns >= least && state.turnsSinceReview > 0 && hasTool('memory') && !asks
}
