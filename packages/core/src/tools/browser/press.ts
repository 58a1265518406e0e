import { z } from 'zod'
import { pressKey } from '../../browser/page/keys.ts'
import { defineTool } from '../tool.ts'
import { withPage } from './browser-call.ts'
import { whereNow } from './page-state.ts'

const input = z.object({ key: z.string().describe('e.g. Enter, Tab, Escape, ArrowDown, a, Control+A') })

export const browserPress = defineTool({
  name: 'browser_press',
  toolset: 'browser',
  description: 'Press a key, e.g. Enter to send a form. It goes to the element that has the focus.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ key }) => key,
  async run({ key }, context) {
    return withPage(context, async ({ browser, page, signal, loadMs }) => {
      await pressKey(page, key)
      await page.settle(signal, loadMs)
      await browser.settled()
      return { pressed: key, ...(await whereNow(browser.page(), signal)) }
    })
  },
})
