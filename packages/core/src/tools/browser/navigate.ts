import { z } from 'zod'
import { BrowserError } from '../../browser/browser-error.ts'
import { navigate } from '../../browser/navigate.ts'
import { robotWarning } from '../../browser/robot-pages.ts'
import type { Redactor } from '../../security/redact.ts'
import { defineTool } from '../tool.ts'
import { loadMsOf, withBrowser } from './browser-call.ts'
import { shownPage } from './page-state.ts'

const input = z.object({ url: z.string().describe('http:// or https://') })

/** The call's own time beyond that of loading, for starting the browser and reading the page. */
const extraMs = 45_000

export const browserNavigate = defineTool({
  name: 'browser_navigate',
  toolset: 'browser',
  description:
    'Open a page in a real browser and get a snapshot of it, where what can be used has a ref (@e5). For pages that need clicking, typing, signing in or scripts; for reading alone, fetching is quicker. The other browser tools work on the page that is open.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ url }) => url,
  async run({ url: written }, context) {
    const timeoutMs = loadMsOf(context)
    return withBrowser(context, { limitMs: timeoutMs + extraMs }, async (browser, signal) => {
      const url = withScheme(written.trim())
      refuseSecrets(url, context.agent.redactor)
      const { page, isDownload } = await navigate(browser, { url, timeoutMs }, signal)
      if (isDownload) return { url, title: '', download: true }
      if (page.dialog) return { url }
      const place = await page.location(signal)
      const warning = robotWarning(place.title)
      const { stealthFeatures, stealthWarning } = browser.browser
      return {
        ...place,
        ...(await shownPage(page, signal)),
        ...(warning !== undefined && { bot_detection_warning: warning }),
        ...(warning !== undefined && stealthWarning !== undefined && { stealth_warning: stealthWarning }),
        ...(stealthFeatures && stealthFeatures.length > 0 && { stealth_features: stealthFeatures }),
      }
    })
  },
})

/** People leave the beginning out. */
function withScheme(url: string): string {
  return /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)/.test(url) ? `https://${url}` : url
}

/** An address is told to everybody on the way and kept in logs; and it is how a page is made to give things away. */
function refuseSecrets(url: string, redactor: Redactor): void {
  const readings = [url, decoded(url)]
  if (readings.every((text) => redactor.redact(text) === text && !text.includes('«secret:'))) return
  throw new BrowserError(
    'refused',
    'The address seems to hold a secret (a key, token or password), so it is not opened. Leave the secret out.',
  )
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch (error) {
    if (error instanceof URIError) return url
    throw error
  }
}
