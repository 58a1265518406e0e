/** Pages that are read of one document. */
const maxPages = 300

export interface PdfText {
  readonly title: string
  /** A heading a page, then its text. */
  readonly markdown: string
}

/** The text of a PDF document. Throws what the library throws for what is none; when `signal` aborts, its reason. */
export async function pdfText(bytes: Uint8Array, signal: AbortSignal): Promise<PdfText> {
  const { getDocumentProxy } = await import('unpdf')
  signal.throwIfAborted()
  // The library keeps what it is given.
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
  try {
    const pages: string[] = []
    for (let number = 1; number <= Math.min(document.numPages, maxPages); number += 1) {
      signal.throwIfAborted()
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
      pages.push(`## Page ${number}\n\n${text.trim() || '(no text)'}`)
      page.cleanup()
    }
    if (document.numPages > maxPages) pages.push(`(${document.numPages - maxPages} more pages are left out)`)
    const { info } = await document.getMetadata()
    const title = 'Title' in info && typeof info.Title === 'string' ? info.Title.trim() : ''
    return { title, markdown: pages.join('\n\n') }
  } finally {
    await document.loadingTask.destroy()
  }
}
