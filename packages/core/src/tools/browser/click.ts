import { z } from 'zod'
import { click } from '../../browser/page/click.ts'
import { refuseWhatCameOf } from '../../browser/navigate.ts'
import { defineTool } from '../tool.ts'
import { withPage } from './browser-call.ts'
import { whereNow } from './page-state.ts'
import { ref } from './ref.ts'

const input = z.object({ ref })

export const browserClick = defineTool({
  name: 'browser_click',
  toolset: 'browser',
  description: 'Click an element of the page. Take a snapshot after it when the page may have changed.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ ref: wanted }) => wanted,
  async run({ ref: wanted }, context) {
    return withPage(context, async ({ browser, page, signal, loadMs }) => {
      const element = page.element(wanted)
      await click(page, element, signal)
      await page.settle(signal, loadMs)
      await browser.settled()
      const current = browser.page()
      if (current !== page) await current.settle(signal, loadMs)
      if (!current.dialog) {
        const { url } = await current.location(signal)
        await refuseWhatCameOf(current, browser, { url, errorText: undefined })
      }
      return { clicked: `@${element.ref}`, ...(await whereNow(current, signal)) }
    })
  },
})
