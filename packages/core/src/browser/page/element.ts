import type { CdpSession } from '../cdp/connection.ts'

/** A document of a page. */
export interface FrameSpot {
  /** Frames of other sites run in processes of their own, each with its session. */
  readonly session: CdpSession
  readonly frameId: string
  /** The `<iframe>` that shows it; undefined for the page itself. */
  readonly owner: ElementSpot | undefined
}

/** Where an element is. */
export interface ElementSpot {
  readonly frame: FrameSpot
  readonly backendNodeId: number
}

/** An element that the model can name. */
export interface PageElement extends ElementSpot {
  /** e.g. `e5`. */
  readonly ref: string
  readonly role: string
  readonly name: string
}

/** The elements that snapshots have named: one keeps its name as long as its page stays, and no name is given twice. */
export interface ElementRefs {
  refOf(spot: ElementSpot, role: string, name: string): string
  find(ref: string): PageElement | undefined
  /** The page has gone: nothing that was named is there any more. */
  forget(): void
}

/** Most elements named at once; beyond that the oldest are forgotten. */
const maxRefs = 20_000

/** Names elements, none so far. */
export function createElementRefs(): ElementRefs {
  const byRef = new Map<string, PageElement>()
  const bySpot = new Map<string, string>()
  let last = 0
  return {
    refOf(spot, role, name) {
      const key = `${spot.frame.session.id}:${spot.backendNodeId}`
      const ref = bySpot.get(key) ?? `e${++last}`
      bySpot.set(key, ref)
      byRef.set(ref, { ...spot, ref, role, name })
      if (byRef.size > maxRefs) {
        byRef.clear()
        bySpot.clear()
      }
      return ref
    },
    find: (ref) => byRef.get(ref),
    forget() {
      byRef.clear()
      bySpot.clear()
    },
  }
}
