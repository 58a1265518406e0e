import type { MarkdownTheme } from '@earendil-works/pi-tui/dist/components/markdown.js'
import type { Theme } from '../theme.ts'

/** How Markdown is drawn: body text in the terminal's own colour, so that it reads well on any background. */
export function markdownTheme(theme: Theme): MarkdownTheme {
  return {
    heading: (text) => theme.bold(theme.accent(text)),
    link: theme.underline,
    linkUrl: theme.dim,
    code: theme.label,
    codeBlock: (text) => text,
    codeBlockBorder: theme.dim,
    quote: theme.italic,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.strike,
    underline: theme.underline,
  }
}
