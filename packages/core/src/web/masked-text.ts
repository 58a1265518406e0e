import type { Redactor } from '../security/redact.ts'
import { withoutInlineImages } from './without-inline-images.ts'

/**
 * The Markdown of a page without secrets and without pictures that stand in it as data. Markdown parts the letters of a
 * secret by the strokes that it puts before underlines and the like.
 */
export function maskedText(markdown: string, redactor: Pick<Redactor, 'redact'>): string {
  const text = withoutInlineImages(markdown)
  const plain = text.replaceAll(/\\([\\`*_{}[\]()#+.!~>-])/g, '$1')
  const masked = redactor.redact(plain)
  return masked === plain ? redactor.redact(text) : masked
}
