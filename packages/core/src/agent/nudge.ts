import type { FinishedTurn } from './title.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import { dueSubjects } from './learning.ts'

/** Most model calls of a review: it looks at skills before it changes one. */
const maxCalls = 8

/** Most lines that are remembered to be told. */
const maxKept = 20

/**
 * Every so many turns, while nobody waits: has the conversation looked through for what memory and skills should keep.
 * What was kept is told when the next turn begins.
 */
export function reviewIfDue(turn: FinishedTurn & { readonly tools: ReadonlyMap<string, ToolHandle> }): void {
  const { request, context, scope, model, tools, sessionId, history } = turn
  // Where the process ends with the turn, a review would only be begun.
  const isFit = request.face.isLasting && !request.minimalPrompt && scope.depth === 0 && !model.provider.isInterpreter
  if (!isFit) return
  const subjects = dueSubjects(scope.learning, context.config, (name) => tools.has(name))
  if (subjects.length === 0) return
  scope.background('review', async (signal) => {
    const { review } = await import('./review.ts')
    const kept = await review(
      { context, scope, sessionId, request, main: model, tools, history, subjects, maxCalls },
      signal,
    )
    scope.learning.kept = [...scope.learning.kept, ...kept].slice(-maxKept)
    context.log.info({ session: sessionId, subjects, kept: kept.length }, 'conversation reviewed')
  })
}
