import type { Hit } from './engine.ts'

export interface Page {
  /** Matches (files, counts) passed over. */
  readonly offset: number
  readonly limit: number
  /** Lines of context around a match. */
  readonly context: number
  /** Characters of text after which a page ends early. */
  readonly maxChars: number
}

type LineHit = Extract<Hit, { type: 'line' }>

export interface FoundPage {
  /** What is shown: matches with their context, files, or counts. */
  readonly hits: readonly Hit[]
  /** Matches (files, counts) seen, those passed over included; what comes after the page is not counted. */
  readonly seen: number
  /** Of the hits shown, those that count. */
  readonly shown: number
  /** Whether there is more behind the page. */
  readonly isTruncated: boolean
  /** Whether time ran out before everything was searched. */
  readonly isUnfinished: boolean
}

/**
 * Takes one page out of the hits of a search and stops it there. `isShown` leaves out whole files; when `isOver` says
 * that time is up, what was found so far is the page.
 */
export async function pageOf(
  hits: AsyncIterable<Hit>,
  page: Page,
  isShown: (file: string) => Promise<boolean>,
  isOver: () => boolean,
): Promise<FoundPage> {
  const taken: Hit[] = []
  let before: LineHit[] = []
  let last: LineHit | undefined
  let seen = 0
  let shown = 0
  let chars = 0
  const result = (isTruncated: boolean, isUnfinished = false): FoundPage => ({
    hits: taken,
    seen,
    shown,
    isTruncated,
    isUnfinished,
  })
  try {
    for await (const hit of hits) {
      if (!(await isShown(hit.file))) continue
      if (hit.type === 'line' && !hit.isMatch) {
        const follows = last?.file === hit.file && hit.line - last.line <= page.context
        if (follows) taken.push(hit)
        else before = [...before, hit].slice(-page.context)
        continue
      }
      const isFull = shown >= page.limit || chars >= page.maxChars
      if (isFull) return result(true)
      seen += 1
      if (seen > page.offset) {
        shown += 1
        const context =
          hit.type === 'line' ? before.filter(({ file, line }) => file === hit.file && line < hit.line) : []
        taken.push(...context, hit)
        chars += hit.type === 'line' ? Math.min(hit.text.length, 500) + hit.file.length : hit.file.length
        last = hit.type === 'line' ? hit : undefined
      }
      before = []
    }
  } catch (error) {
    if (!isOver()) throw error
    return result(true, true)
  }
  return result(false)
}
