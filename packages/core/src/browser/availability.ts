import type { WatchPath } from '../storage/file-memo.ts'
import type { Availability } from '../tools/availability.ts'
import { chooseBackend } from './choose-backend.ts'
import { findChromium, placesOfChromium } from './local/find-chromium.ts'

/** A browser that is installed is seen after this time, ms. */
const freshMs = 1_000

/** Whether there is a browser for the tools of the browser, also one that the person has connected to a session. */
export const browserAvailability: Availability = async (context, session) => {
  const cdpUrl = session && context.scopes.get(session.id).browser.cdpUrl
  const { environment, fileMemo } = context
  if (!fileMemo) return chooseBackend(context, cdpUrl).missing ?? true
  // Every program of every folder of the PATH is more to look at than those folders.
  const find = async (watch: WatchPath) => {
    for (const place of placesOfChromium(environment)) watch(place)
    const found = findChromium(environment)
    if (found !== undefined) watch(found)
    return found
  }
  const { BROWSER_PATH: own = '', CHROME_PATH: chrome = '', PATH: folders = '' } = environment
  const chromium = await fileMemo.of(`chromium ${own}\n${chrome}\n${folders}`, find, { freshMs })
  return chooseBackend(context, cdpUrl, () => chromium).missing ?? true
}
