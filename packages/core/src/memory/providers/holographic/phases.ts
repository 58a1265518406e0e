import { hash } from 'node:crypto'

/**
 * A vector of angles. Holographic reduced representations in their phase form (Plate 1995, Gayler 2004): binding adds
 * angles, unbinding subtracts them, and a bundle is the direction of the sum of its parts on the unit circle.
 */
export type Phases = Float64Array

/** What an atom bound to it stands for within a fact. */
export const roles = { content: '__hrr_role_content__', entity: '__hrr_role_entity__' } as const

/** Stands for a text without words. */
const emptyText = '__hrr_empty__'

const fullCircle = 2 * Math.PI

/** Angles that one SHA-256 digest gives: 16 bits each. */
const anglesPerDigest = 16

/** Atoms kept ready: words come again, and one costs some sixty digests. */
const maxAtoms = 1_024

/** Before a vector in single precision; without it a blob is in double precision, as upstream v0.9.0 writes. */
const singlePrecisionMark = Buffer.from('HRR1')

/** The vectors of one number of dimensions. */
export interface PhaseSpace {
  readonly dim: number
  /** The vector of a word: always and everywhere the same. */
  atom(word: string): Phases
  /** All words of a text, each as much as it comes. */
  text(text: string): Phases
  /** A fact's text and entities, each bound to its role. */
  fact(text: string, entities: readonly string[]): Phases
  /** An entity in its role, as it is part of facts. */
  entity(name: string): Phases
  read(blob: Uint8Array): Phases | undefined
  write(phases: Phases): Uint8Array
}

/** Opens a space; `dim` is at least 16. */
export function createPhaseSpace(dim: number): PhaseSpace {
  const atoms = new Map<string, Phases>()

  function atom(word: string): Phases {
    const ready = atoms.get(word)
    if (ready) return ready
    const made = makeAtom(word, dim)
    if (atoms.size >= maxAtoms) atoms.clear()
    atoms.set(word, made)
    return made
  }

  function text(of: string): Phases {
    const words = wordsOf(of)
    return words.length === 0 ? atom(emptyText) : bundle(words.map(atom), dim)
  }

  const entity = (name: string) => bind(atom(name.toLowerCase()), atom(roles.entity))

  return {
    dim,
    atom,
    text,
    entity,
    fact: (content, entities) => bundle([bind(text(content), atom(roles.content)), ...entities.map(entity)], dim),
    read: (blob) => readBlob(blob, dim),
    write: (phases) => new Uint8Array(phases.buffer, phases.byteOffset, phases.byteLength),
  }
}

/** The words of a text as upstream parts it, so that its vectors and ours are the same. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^[.,!?;:"'()[\]{}]+|[.,!?;:"'()[\]{}]+$/g, ''))
    .filter((word) => word !== '')
}

/** Two things bound together: like neither of them. */
export function bind(a: Phases, b: Phases): Phases {
  return a.map((angle, at) => wrapped(angle + (b[at] ?? 0)))
}

/** What was bound to `key`, as far as `bound` has it. */
export function unbind(bound: Phases, key: Phases): Phases {
  return bound.map((angle, at) => wrapped(angle - (key[at] ?? 0)))
}

/** Several vectors in one, like each of them. */
export function bundle(parts: readonly Phases[], dim: number): Phases {
  const [x, y] = [new Float64Array(dim), new Float64Array(dim)]
  for (const part of parts) {
    for (let at = 0; at < dim; at++) {
      const angle = part[at] ?? 0
      x[at] = (x[at] ?? 0) + Math.cos(angle)
      y[at] = (y[at] ?? 0) + Math.sin(angle)
    }
  }
  return x.map((value, at) => wrapped(Math.atan2(y[at] ?? 0, value)))
}

/** Angles as points on the unit circle, so that many vectors are compared without reckoning an angle twice. */
export interface Points {
  readonly x: Float64Array
  readonly y: Float64Array
}

export function pointsOf(phases: Phases): Points {
  return { x: phases.map(Math.cos), y: phases.map(Math.sin) }
}

/** From -1 to 1; about 0 for what has nothing in common. */
export function likeness(a: Points, b: Points): number {
  let sum = 0
  const { length } = a.x
  // Both are as long, by the one who made them.
  for (let at = 0; at < length; at++) sum += a.x[at]! * b.x[at]! + a.y[at]! * b.y[at]!
  return length === 0 ? 0 : sum / length
}

/** The same of the angles themselves. */
export function similarity(a: Phases, b: Phases): number {
  return likeness(pointsOf(a), pointsOf(b))
}

function makeAtom(word: string, dim: number): Phases {
  const phases = new Float64Array(dim)
  for (let from = 0; from < dim; from += anglesPerDigest) {
    const digest = hash('sha256', `${word}:${from / anglesPerDigest}`, 'buffer')
    for (let at = 0; at < anglesPerDigest && from + at < dim; at++) {
      phases[from + at] = (digest.readUInt16LE(2 * at) * fullCircle) / 65_536
    }
  }
  return phases
}

/** Undefined where the blob is of another number of dimensions. */
function readBlob(blob: Uint8Array, dim: number): Phases | undefined {
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength)
  if (bytes.length === dim * 8) {
    const phases = new Float64Array(dim)
    for (let at = 0; at < dim; at++) phases[at] = bytes.readDoubleLE(8 * at)
    return phases
  }
  const from = singlePrecisionMark.length
  if (bytes.length !== from + dim * 4 || !bytes.subarray(0, from).equals(singlePrecisionMark)) return undefined
  return Float64Array.from({ length: dim }, (_, at) => bytes.readFloatLE(from + 4 * at))
}

function wrapped(angle: number): number {
  return ((angle % fullCircle) + fullCircle) % fullCircle
}
