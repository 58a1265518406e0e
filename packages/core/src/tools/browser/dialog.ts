import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { loadMsOf, withBrowser } from './browser-call.ts'
import { whereNow } from './page-state.ts'

const input = z.object({
  action: z.enum(['accept', 'dismiss']),
  text: z.string().optional().describe('What to answer a prompt'),
})

export const browserDialog = defineTool({
  name: 'browser_dialog',
  toolset: 'browser',
  description: 'Answer a question (confirm or prompt) that the page has opened. Alerts are closed by themselves.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ action, text }) => (text === undefined ? action : `${action}: ${text}`),
  async run({ action, text }, context) {
    const loadMs = loadMsOf(context)
    return withBrowser(context, { limitMs: loadMs }, async (browser, signal) => {
      const page = browser.page()
      const { type, message } = await page.answerDialog(action === 'accept', text)
      await page.settle(signal, loadMs)
      await browser.settled()
      return { answered: action, type, message, ...(await whereNow(browser.page(), signal)) }
    })
  },
})
