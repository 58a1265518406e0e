/** The part of a browser's document that is used here. */
export interface PageElement {
  readonly tagName: string
  readonly textContent: string
  innerHTML: string
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  remove(): void
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
}

export interface PageDocument extends PageElement {
  readonly documentElement: PageElement | null
  readonly body: PageElement
}

/** Reads HTML into a document. Nothing in it runs or is loaded. */
export async function parsePage(html: string): Promise<PageDocument> {
  const { parseHTML } = await import('linkedom')
  const whole = /<html[\s>]/i.test(html.slice(0, 10_000)) ? html : `<!doctype html><html><body>${html}</body></html>`
  return parseHTML(whole).document
}
