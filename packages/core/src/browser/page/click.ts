import { BrowserError } from '../browser-error.ts'
import { locate } from './locate.ts'
import type { PageElement } from './element.ts'
import type { Page } from './page.ts'

/** Clicks an element with the mouse, where a person would. Throws `BrowserError` when something else lies over it. */
export async function click(page: Page, element: PageElement, signal: AbortSignal): Promise<void> {
  const { x, y, coveredBy } = await locate(element, {}, signal)
  if (coveredBy !== undefined) {
    throw new BrowserError(
      'not-usable',
      `@${element.ref} (${element.role} "${element.name}") is covered by ${coveredBy}: close or move that first, or scroll.`,
    )
  }
  const mouse = (type: string, more: Readonly<Record<string, unknown>> = {}) =>
    page.session.send('Input.dispatchMouseEvent', { type, x, y, ...more })
  const button = { button: 'left', clickCount: 1 }
  await page.act(
    (async () => {
      await mouse('mouseMoved')
      await mouse('mousePressed', button)
      await mouse('mouseReleased', button)
    })(),
  )
}
