import { z } from 'zod'
import type { Page } from './page.ts'

/** How far one call scrolls, CSS pixels. */
const stepPx = 500

const state = z.looseObject({
  result: z.looseObject({
    value: z.object({ width: z.number(), height: z.number(), top: z.number(), total: z.number() }),
  }),
})

/** Turns the mouse's wheel over the middle of the window. */
export async function scroll(page: Page, direction: 'up' | 'down', signal: AbortSignal): Promise<void> {
  const { width, height } = await look(page, signal)
  await page.act(
    page.session.send('Input.dispatchMouseEvent', {
      type: 'mouseWheel',
      x: Math.round(width / 2),
      y: Math.round(height / 2),
      deltaX: 0,
      deltaY: direction === 'down' ? stepPx : -stepPx,
    }),
  )
}

/** Where the page is, in per cent of what can be scrolled. */
export async function scrollPosition(page: Page, signal: AbortSignal): Promise<number> {
  const { total, top, height } = await look(page, signal)
  const room = total - height
  return room <= 0 ? 100 : Math.min(100, Math.round((top / room) * 100))
}

async function look(page: Page, signal: AbortSignal) {
  const params = { expression: position, returnByValue: true }
  const { result } = await page.session.send('Runtime.evaluate', params, state, { signal })
  return result.value
}

const position =
  '({ width: innerWidth, height: innerHeight, top: scrollY, total: (document.scrollingElement ?? document.documentElement).scrollHeight })'
