import type { Emit } from './turn-state.ts'

/**
 * What a turn tells once it is open, in order: nothing of an answer is told, and so nothing is run for it, before the
 * message that it answers is stored. Rejects where that fails.
 */
export function afterOpening(emit: Emit, opening: Promise<void>): Emit {
  let isOpen = false
  void opening.then(
    () => (isOpen = true),
    () => undefined,
  )
  return (event) => (isOpen ? emit(event) : opening.then(() => emit(event)))
}
