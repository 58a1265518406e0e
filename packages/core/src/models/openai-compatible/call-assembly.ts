import { randomBytes } from 'node:crypto'
import type { ToolCall } from '../transcript.ts'
import type { CallLimit } from '../wire/call-limit.ts'
import type { Fields } from '../wire/json-fields.ts'
import type { CallDelta } from './chunk.ts'

/** A call that arrives piece by piece. */
interface Slot {
  readonly id: string
  /** The id on the wire, when there was one. */
  readonly wireId: string | undefined
  readonly index: number | undefined
  name: string
  arguments: string
  extra: Fields | undefined
}

/** A call whose name has just become known. */
export interface StartedCall {
  readonly id: string
  readonly name: string
}

/** Puts the pieces of an answer's tool calls together. Throws what its limit throws. */
export interface CallAssembly {
  /** Takes the next piece; returns the call when its name has just become known. */
  add(piece: CallDelta): StartedCall | undefined
  /** The calls in the order in which they began. Those without a name are left out. */
  calls(): readonly ToolCall[]
}

export function createCallAssembly(limit: CallLimit): CallAssembly {
  const slots: Slot[] = []
  const open = ({ id: wireId, index }: CallDelta): Slot => {
    const slot = { id: wireId ?? newCallId(), wireId, index, name: '', arguments: '', extra: undefined }
    limit.begin()
    slots.push(slot)
    return slot
  }
  return {
    add: (piece) => {
      const slot = slotOf(slots, piece) ?? open(piece)
      limit.grow(piece.arguments.length)
      slot.arguments += piece.arguments
      if (piece.extra) slot.extra = { ...slot.extra, ...piece.extra }
      if (piece.name === undefined || slot.name !== '') return undefined
      slot.name = piece.name
      return { id: slot.id, name: piece.name }
    },
    calls: () =>
      slots
        .filter((slot) => slot.name !== '')
        .map(({ id, name, arguments: text, extra }) => ({ id, name, arguments: text, ...(extra && { extra }) })),
  }
}

/** An id for a call that came without one. */
export function newCallId(): string {
  return `call_${randomBytes(12).toString('hex')}`
}

/** The call that a piece belongs to; undefined when it begins a new one. */
function slotOf(slots: readonly Slot[], piece: CallDelta): Slot | undefined {
  const candidate =
    piece.index === undefined ? slotWithoutIndex(slots, piece) : slots.findLast((slot) => slot.index === piece.index)
  if (!candidate || piece.name === undefined || candidate.name === '') return candidate
  // Ollama numbers every call of an answer 0: another id with a name is another call.
  if (piece.id && candidate.wireId && piece.id !== candidate.wireId) return undefined
  // Without ids, a name with arguments after a complete call is another call; a repeated name alone is not.
  const isAnother = !piece.id && piece.arguments !== '' && isComplete(candidate.arguments)
  return isAnother ? undefined : candidate
}

/** Google's servers send no index: an id or a name tells where a piece belongs. */
function slotWithoutIndex(slots: readonly Slot[], { id, name }: CallDelta): Slot | undefined {
  const last = slots.at(-1)
  if (id) return slots.findLast((slot) => slot.wireId === id)
  return name !== undefined && last?.name !== name ? undefined : last
}

function isComplete(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
