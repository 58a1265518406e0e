import { z } from 'zod'
import type { PageElement } from './page/element.ts'
import { locate } from './page/locate.ts'
import type { ElementPlace } from './page/locate.ts'
import type { Page } from './page/page.ts'
import { BrowserError } from './browser-error.ts'

/** An element that can be seen, and where. */
export interface Annotation {
  readonly ref: string
  readonly role: string
  readonly name: string
  readonly box: Readonly<{ x: number; y: number; width: number; height: number }>
}

const maxDrawn = 150
const world = z.looseObject({ executionContextId: z.number() })

/** Draws the references over the page while `work` runs; the page itself is not changed by it for long. */
export async function withAnnotations<Result>(
  page: Page,
  elements: readonly PageElement[],
  work: (annotations: readonly Annotation[]) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const places = await Promise.all(elements.slice(0, maxDrawn).map((element) => annotationOf(element, signal)))
  const annotations = places.filter((place) => place !== undefined)
  const { session } = page
  // A world of its own: the page's scripts neither see nor change what is drawn with.
  const { executionContextId: contextId } = await session.send(
    'Page.createIsolatedWorld',
    { frameId: page.targetId, worldName: 'hermes' },
    world,
    { signal },
  )
  const run = (expression: string) => session.send('Runtime.evaluate', { expression, contextId })
  await run(`(${draw})(${JSON.stringify(annotations)})`)
  try {
    return await work(annotations)
  } finally {
    await run('document.getElementById("hermes-annotations")?.remove()')
  }
}

async function annotationOf(element: PageElement, signal: AbortSignal): Promise<Annotation | undefined> {
  const place = await seen(element, signal)
  if (!place || place.coveredBy !== undefined) return undefined
  const { x, y, width, height } = place
  const box = {
    x: Math.round(x - width / 2),
    y: Math.round(y - height / 2),
    width: Math.round(width),
    height: Math.round(height),
  }
  return { ref: `@${element.ref}`, role: element.role, name: element.name, box }
}

async function seen(element: PageElement, signal: AbortSignal): Promise<ElementPlace | undefined> {
  try {
    return await locate(element, { isForUse: false }, signal)
  } catch (error) {
    if (error instanceof BrowserError) return undefined
    throw error
  }
}

const draw = `(marks) => {
  const host = document.createElement('div')
  host.id = 'hermes-annotations'
  host.style.cssText = 'position:fixed;inset:0;z-index:2147483647;pointer-events:none'
  const root = host.attachShadow({ mode: 'closed' })
  for (const { ref, box } of marks) {
    const frame = document.createElement('div')
    frame.style.cssText = 'position:fixed;box-sizing:border-box;border:2px solid #d00;left:' + box.x + 'px;top:' + box.y + 'px;width:' + box.width + 'px;height:' + box.height + 'px'
    const label = document.createElement('div')
    label.textContent = ref
    label.style.cssText = 'position:absolute;left:-2px;top:-14px;background:#d00;color:#fff;font:bold 11px/13px monospace;padding:0 3px;white-space:nowrap'
    if (box.y < 14) label.style.top = '-2px'
    frame.append(label)
    root.append(frame)
  }
  document.documentElement.append(host)
}`
