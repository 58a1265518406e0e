import { z } from 'zod'
import { scroll, scrollPosition } from '../../browser/page/scroll.ts'
import { defineTool } from '../tool.ts'
import { withPage } from './browser-call.ts'

const input = z.object({ direction: z.enum(['up', 'down']) })

export const browserScroll = defineTool({
  name: 'browser_scroll',
  toolset: 'browser',
  description:
    'Scroll the page by 500 pixels, for pages that load more at their end. A snapshot shows also what is out of view.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ direction }) => direction,
  async run({ direction }, context) {
    return withPage(context, async ({ page, signal, loadMs }) => {
      await scroll(page, direction, signal)
      await page.settle(signal, loadMs)
      return { scrolled: direction, position: `${await scrollPosition(page, signal)}%` }
    })
  },
})
