import { pageAddress } from './page-address.ts'

/** A page as it was read, and what a model made of it. */
export interface KnownPage {
  /** Where it came from, after redirects. */
  readonly from: string
  readonly title: string
  readonly text: string
  /** What in it tries to steer the agent. */
  readonly steering: readonly string[]
  /** A model's summary of it. */
  readonly summary?: string
}

/**
 * Pages that a session has read in the last minutes, so that none is fetched twice; a URL's fragment names no other page.
 * Bounded in number and size.
 */
export interface PageCache {
  get(url: string): KnownPage | undefined
  set(url: string, page: KnownPage): void
}

const keptMs = 5 * 60_000
const maxPages = 30
const maxChars = 6_000_000

export function createPageCache(now: () => number): PageCache {
  const pages = new Map<string, { readonly page: KnownPage; readonly at: number }>()
  const drop = (url: string) => {
    chars -= pages.get(url)?.page.text.length ?? 0
    pages.delete(url)
  }
  let chars = 0
  return {
    get(url) {
      const key = pageAddress(url)
      const known = pages.get(key)
      if (known && now() - known.at < keptMs) return known.page
      drop(key)
      return undefined
    },
    set(url, page) {
      const key = pageAddress(url)
      drop(key)
      pages.set(key, { page, at: now() })
      chars += page.text.length
      for (const oldest of pages.keys()) {
        if (pages.size <= maxPages && chars <= maxChars) break
        drop(oldest)
      }
    },
  }
}
