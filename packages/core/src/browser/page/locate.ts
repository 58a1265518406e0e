import { z } from 'zod'
import { BrowserError } from '../browser-error.ts'
import type { ElementSpot, PageElement } from './element.ts'

/** Where an element is in the window, CSS pixels. */
export interface ElementPlace {
  /** A point of it that a person could click. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** What lies over it at every point that was tried. */
  readonly coveredBy: string | undefined
}

const resolved = z.looseObject({ object: z.looseObject({ objectId: z.string() }) })
const called = z.looseObject({
  result: z.looseObject({ value: z.unknown().optional() }),
  exceptionDetails: z.looseObject({ text: z.string() }).optional(),
})

/** Calls a function of JavaScript on an element (`this`). Throws `BrowserError`. */
export async function callOn<Schema extends z.ZodType>(
  { frame, backendNodeId }: ElementSpot,
  call: { readonly code: string; readonly args?: readonly unknown[]; readonly result: Schema },
  signal: AbortSignal,
): Promise<z.infer<Schema>> {
  const objectId = await objectOf({ frame, backendNodeId }, signal)
  const { result, exceptionDetails } = await frame.session.send(
    'Runtime.callFunctionOn',
    {
      functionDeclaration: call.code,
      objectId,
      arguments: (call.args ?? []).map((value) => ({ value })),
      returnByValue: true,
      awaitPromise: true,
    },
    called,
    { signal },
  )
  const parsed = exceptionDetails ? undefined : call.result.safeParse(result.value)
  if (!parsed?.success) throw new BrowserError('script', 'The page does not let its element be used.')
  return parsed.data
}

async function objectOf({ frame, backendNodeId }: ElementSpot, signal: AbortSignal): Promise<string> {
  try {
    const { object } = await frame.session.send('DOM.resolveNode', { backendNodeId }, resolved, { signal })
    return object.objectId
  } catch (error) {
    signal.throwIfAborted()
    throw new BrowserError('stale-ref', 'That element is no longer on the page: call browser_snapshot again.', {
      cause: error,
    })
  }
}

const inFrame = z.object({
  problem: z.enum(['gone', 'hidden', 'disabled']).optional(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  coveredBy: z.string().nullable(),
})

/**
 * Scrolls an element into view, waits until it stands still, and finds a point of it. Throws `BrowserError` for what
 * cannot be seen. `isForUse: false`: neither scrolls nor minds what is disabled.
 */
export async function locate(
  element: PageElement,
  { isForUse = true }: { readonly isForUse?: boolean },
  signal: AbortSignal,
): Promise<ElementPlace> {
  const { frame, backendNodeId } = element
  if (isForUse) await scrollTo(element, signal)
  const found = await callOn({ frame, backendNodeId }, { code: findPoint, args: [isForUse], result: inFrame }, signal)
  if (found.problem !== undefined) throw unusable(element, found.problem)
  let place: ElementPlace = { ...found, coveredBy: found.coveredBy ?? undefined }
  // A frame's own window is only a part of the page's.
  for (let { owner } = frame; owner; owner = owner.frame.owner) {
    const outer = await callOn(owner, { code: throughFrame, args: [place.x, place.y], result: inFrame }, signal)
    place = { ...place, x: outer.x, y: outer.y, coveredBy: place.coveredBy ?? outer.coveredBy ?? undefined }
  }
  return place
}

async function scrollTo({ frame, backendNodeId, ref }: PageElement, signal: AbortSignal): Promise<void> {
  try {
    await frame.session.send('DOM.scrollIntoViewIfNeeded', { backendNodeId }, z.unknown(), { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof BrowserError) || !/not have a layout object/i.test(error.message)) {
      throw new BrowserError('stale-ref', `@${ref} is no longer on the page: call browser_snapshot again.`, {
        cause: error,
      })
    }
    // Its label may be seen where it is not.
  }
}

function unusable({ ref, role, name }: PageElement, problem: 'gone' | 'hidden' | 'disabled'): BrowserError {
  const shown = `@${ref} (${role} "${name}")`
  if (problem === 'gone')
    return new BrowserError('stale-ref', `${shown} is no longer on the page: call browser_snapshot.`)
  if (problem === 'disabled') return new BrowserError('not-usable', `${shown} is disabled.`)
  return new BrowserError('not-usable', `${shown} cannot be seen: it may be in a part of the page that opens first.`)
}

/** Shared by both functions below: what is on top at a point, and whether it belongs to an element. */
const hitTest = `
  const topAt = (x, y) => {
    let hit = document.elementFromPoint(x, y)
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y)
      if (!inner || inner === hit) break
      hit = inner
    }
    return hit
  }
  const isWithin = (node, target) => {
    for (let one = node; one; one = one.assignedSlot ?? one.parentNode ?? one.host) if (one === target) return true
    return false
  }
  const describe = (hit) => {
    if (!hit) return 'nothing of the page'
    const name = (hit.getAttribute('aria-label') || hit.innerText || '').trim().replace(/\\s+/g, ' ').slice(0, 60)
    return '<' + hit.tagName.toLowerCase() + (hit.id ? ' id="' + hit.id + '"' : '') + '>' + (name ? ' "' + name + '"' : '')
  }
`

const findPoint = `async function (isForUse) {
  ${hitTest}
  const none = { x: 0, y: 0, width: 0, height: 0, coveredBy: null }
  let target = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement
  if (!target?.isConnected) return { problem: 'gone', ...none }
  if (isForUse && target.matches(':disabled')) return { problem: 'disabled', ...none }
  const boxOf = (element) => {
    const boxes = [...element.getClientRects()].filter(({ width, height }) => width > 1 && height > 1)
    return getComputedStyle(element).visibility === 'hidden' ? undefined : boxes[0]
  }
  const label = target.labels?.[0]
  const isSeen = () => boxOf(target) && Number(getComputedStyle(target).opacity) > 0
  if (!isSeen() && label && boxOf(label)) {
    target = label
    if (isForUse) target.scrollIntoView({ block: 'center', behavior: 'instant' })
  }
  let box = boxOf(target)
  if (!box) return { problem: 'hidden', ...none }
  const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 60) })
  for (let tries = 0; isForUse && tries < 20; tries++) {
    await frame()
    const next = boxOf(target)
    if (!next) return { problem: 'hidden', ...none }
    const isStill = next.x === box.x && next.y === box.y && next.width === box.width && next.height === box.height
    box = next
    if (isStill) break
  }
  const left = Math.max(0, box.left), right = Math.min(innerWidth, box.right)
  const top = Math.max(0, box.top), bottom = Math.min(innerHeight, box.bottom)
  const size = { width: box.width, height: box.height }
  let coveredBy = null
  for (const [across, down] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]]) {
    const x = left + (right - left) * across, y = top + (bottom - top) * down
    const hit = topAt(x, y)
    const root = target.getRootNode()
    const isClosedHost = root instanceof ShadowRoot && root.mode === 'closed' && root.host === hit
    const isLabel = hit?.closest?.('label')?.control === target
    if (hit && (isWithin(hit, target) || isLabel || isClosedHost)) return { x, y, ...size, coveredBy: null }
    coveredBy ??= describe(hit)
  }
  return { x: left + (right - left) / 2, y: top + (bottom - top) / 2, ...size, coveredBy }
}`

const throughFrame = `async function (x, y) {
  ${hitTest}
  const at = () => {
    const box = this.getBoundingClientRect()
    const style = getComputedStyle(this)
    const left = box.left + this.clientLeft + parseFloat(style.paddingLeft)
    const top = box.top + this.clientTop + parseFloat(style.paddingTop)
    return { x: left + x, y: top + y, width: box.width, height: box.height }
  }
  let place = at()
  if (place.x < 0 || place.y < 0 || place.x > innerWidth || place.y > innerHeight) {
    this.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    scrollBy(at().x - innerWidth / 2, at().y - innerHeight / 2)
    place = at()
  }
  const hit = topAt(place.x, place.y)
  return { ...place, coveredBy: hit && isWithin(hit, this) ? null : describe(hit) }
}`
