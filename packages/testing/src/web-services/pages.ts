/** A page that stand-ins of services for the web know. */
export interface StandInPage {
  readonly url: string
  readonly title: string
  readonly text: string
  /** Where it is sent on to. */
  readonly from?: string
  /** What its server answers with; 200 unless given. */
  readonly status?: number
}

/** The pages that have a word of the query, those with most of them first. */
export function pagesAbout(query: string, pages: readonly StandInPage[]): readonly StandInPage[] {
  const words = query.toLowerCase().match(/\p{L}{2,}/gu) ?? []
  const score = ({ title, text }: StandInPage) =>
    words.filter((word) => `${title} ${text}`.toLowerCase().includes(word)).length
  return pages
    .map((page) => ({ page, score: score(page) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ page }) => page)
}

/** What searchers say of a page. */
export function snippetOf({ text }: StandInPage): string {
  return text.slice(0, 200)
}
