import { randomBytes } from 'node:crypto'
import type { ToolCall } from '../transcript.ts'
import type { CallDelta } from './chunk.ts'

/** A call that arrives piece by piece. */
interface Slot {
  readonly id: string
  /** The id on the wire, when there was one. */
  readonly wireId: string | undefined
  readonly index: number | undefined
  name: string
  arguments: string
  extra: Readonly<Record<string, unknown>> | undefined
}

/** A call whose name has just become known. */
export interface StartedCall {
  readonly id: string
  readonly name: string
}

/** Puts the pieces of an answer's tool calls together. */
export interface CallAssembly {
  /** Takes the next piece; returns the call when its name has just become known. */
  add(piece: CallDelta): StartedCall | undefined
  /** The calls in the order in which they began. Those without a name are left out. */
  calls(): readonly ToolCall[]
}

export function createCallAssembly(): CallAssembly {
  const slots: Slot[] = []
  return {
    add: (piece) => {
      const name = piece.function?.name || undefined
      let slot = slotOf(slots, piece)
      if (!slot) {
        const wireId = piece.id || undefined
        const id = wireId ?? `call_${randomBytes(12).toString('hex')}`
        slot = { id, wireId, index: piece.index ?? undefined, name: '', arguments: '', extra: undefined }
        slots.push(slot)
      }
      slot.arguments += argumentText(piece.function?.arguments)
      if (piece.extra_content) slot.extra = { ...slot.extra, ...piece.extra_content }
      if (name === undefined || slot.name !== '') return undefined
      slot.name = name
      return { id: slot.id, name }
    },
    calls: () =>
      slots
        .filter((slot) => slot.name !== '')
        .map(({ id, name, arguments: text, extra }) => ({ id, name, arguments: text, ...(extra && { extra }) })),
  }
}

/** The call that a piece belongs to; undefined when it begins a new one. */
function slotOf(slots: readonly Slot[], { index, id, function: named }: CallDelta): Slot | undefined {
  const known = typeof index === 'number' ? slots.findLast((slot) => slot.index === index) : undefined
  const candidate = known ?? (typeof index === 'number' ? undefined : slotWithoutIndex(slots, id, named?.name))
  if (!candidate || !named?.name || candidate.name === '') return candidate
  // Ollama numbers every call of an answer 0: another id with a name is another call.
  if (id && candidate.wireId && id !== candidate.wireId) return undefined
  // Without ids, a name with arguments after a complete call is another call; a repeated name alone is not.
  const another = !id && isComplete(candidate.arguments) && argumentText(named.arguments) !== ''
  return another ? undefined : candidate
}

/** Google's servers send no index: an id or a name tells where a piece belongs. */
function slotWithoutIndex(slots: readonly Slot[], id: string | null | undefined, name: string | null | undefined) {
  const last = slots.at(-1)
  if (id) return slots.findLast((slot) => slot.wireId === id)
  return name && last?.name !== name ? undefined : last
}

/** Some servers send the arguments as an object instead of its text. */
function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

function isComplete(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
