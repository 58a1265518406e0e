import { isMostlyMarks } from '../../display/mostly-marks.ts'

/** Longer texts go without HTML, characters. */
const maxChars = 200_000

/** Schemes that links may have. */
const safeLink = /^(?:https?|mailto):/i

/**
 * Markdown as the HTML of a mail: nothing in it is loaded or run, and HTML in the text is shown as it is written.
 * Undefined where there is nothing to show, or too much.
 */
export async function toHtml(markdown: string): Promise<string | undefined> {
  if (markdown.trim() === '' || markdown.length > maxChars || isMostlyMarks(markdown)) return undefined
  const { Marked } = await import('marked')
  const marked = new Marked({
    gfm: true,
    // What is written in lines is read in lines.
    breaks: true,
    renderer: {
      html: ({ text }) => escaped(text),
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens)
        return safeLink.test(href) ? `<a href="${escaped(href)}">${label}</a>` : label
      },
      // What is far away tells its owner who looks at it.
      image({ href, text }) {
        const label = escaped(text || href)
        return safeLink.test(href) ? `<a href="${escaped(href)}">${label}</a>` : label
      },
    },
  })
  try {
    return await marked.parse(markdown)
  } catch (error) {
    // Nested deeper than anybody reads.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
