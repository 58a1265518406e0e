import { z } from 'zod'
import { goBack } from '../../browser/navigate.ts'
import { defineTool } from '../tool.ts'
import { loadMsOf, withBrowser } from './browser-call.ts'
import { whereNow } from './page-state.ts'

export const browserBack = defineTool({
  name: 'browser_back',
  toolset: 'browser',
  description: 'Go back to the page before; closes a tab that has none.',
  input: z.object({}),
  concurrency: 'exclusive',
  isRare: true,
  preview: () => 'back',
  async run(_, context) {
    const loadMs = loadMsOf(context)
    return withBrowser(context, { limitMs: loadMs }, async (browser, signal) =>
      whereNow(await goBack(browser, loadMs, signal), signal),
    )
  },
})
