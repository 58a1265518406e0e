import { takeSnapshot } from '../../browser/snapshot/take-snapshot.ts'
import { cutSnapshot } from '../../browser/snapshot/fit.ts'
import type { Page } from '../../browser/page/page.ts'

/** What a page says and offers now, short enough to be given as it is; a page that waits for an answer says nothing. */
export async function shownPage(page: Page, signal: AbortSignal) {
  if (page.dialog) return {}
  const { text, elementCount } = await takeSnapshot(page, { full: false }, signal)
  return { snapshot: cutSnapshot(text), element_count: elementCount }
}

/** Where the page is after an action, when it may have gone elsewhere. */
export async function whereNow(page: Page, signal: AbortSignal) {
  return page.dialog ? {} : page.location(signal)
}
