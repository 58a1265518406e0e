import { z } from 'zod'
import type { FrameSpot } from '../page/element.ts'

const value = z.looseObject({ value: z.unknown().optional() })

const node = z.looseObject({
  nodeId: z.string(),
  ignored: z.boolean(),
  role: value.optional(),
  name: value.optional(),
  value: value.optional(),
  properties: z.array(z.looseObject({ name: z.string(), value })).optional(),
  childIds: z.array(z.string()).optional(),
  backendDOMNodeId: z.number().optional(),
})

const tree = z.looseObject({ nodes: z.array(node) })

const clickables = z.looseObject({
  documents: z.array(
    z.looseObject({
      nodes: z.looseObject({
        backendNodeId: z.array(z.number()).optional(),
        isClickable: z.looseObject({ index: z.array(z.number()) }).optional(),
      }),
    }),
  ),
})

const described = z.looseObject({ node: z.looseObject({ frameId: z.string().optional() }) })

/** A node of what a document means to somebody who cannot see it. */
export interface AxNode {
  readonly id: string
  readonly isIgnored: boolean
  readonly role: string
  readonly name: string
  readonly value: string
  /** `checked`, `expanded`, `level` … */
  readonly states: ReadonlyMap<string, unknown>
  readonly childIds: readonly string[]
  readonly backendNodeId: number | undefined
}

/** What one document means, shadow trees included. */
export interface AxTree {
  readonly root: AxNode | undefined
  readonly nodes: ReadonlyMap<string, AxNode>
  /** Elements that scripts listen to for clicks. */
  readonly clickable: ReadonlySet<number>
}

/** Reads a document. Throws `BrowserError`; when `signal` aborts, its reason. */
export async function readTree({ session, frameId }: FrameSpot, signal: AbortSignal): Promise<AxTree> {
  const [{ nodes }, captured] = await Promise.all([
    session.send('Accessibility.getFullAXTree', { frameId }, tree, { signal }),
    session.send('DOMSnapshot.captureSnapshot', { computedStyles: [] }, clickables, { signal }),
  ])
  const read = nodes.map(axNode)
  return {
    root: read[0],
    nodes: new Map(read.map((one) => [one.id, one])),
    clickable: new Set(
      captured.documents.flatMap(({ nodes: { isClickable, backendNodeId } }) =>
        (isClickable?.index ?? []).flatMap((index) => backendNodeId?.[index] ?? []),
      ),
    ),
  }
}

/** The document that an `<iframe>` shows. */
export async function frameIn(
  { session }: FrameSpot,
  backendNodeId: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { node: element } = await session.send('DOM.describeNode', { backendNodeId }, described, { signal })
  return element.frameId
}

function axNode(raw: z.infer<typeof node>): AxNode {
  return {
    id: raw.nodeId,
    isIgnored: raw.ignored,
    role: textOf(raw.role),
    name: oneLine(textOf(raw.name)),
    value: oneLine(textOf(raw.value)),
    states: new Map((raw.properties ?? []).map(({ name, value: { value: state } }) => [name, state])),
    childIds: raw.childIds ?? [],
    backendNodeId: raw.backendDOMNodeId,
  }
}

function textOf(raw: z.infer<typeof value> | undefined): string {
  const text = raw?.value
  return typeof text === 'string' ? text : typeof text === 'number' ? String(text) : ''
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
