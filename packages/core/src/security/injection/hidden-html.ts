import { hidesElement } from './hidden-style.ts'
import { agentWords } from './pattern.ts'

/** Longest hidden text that is looked at, characters. */
const maxHidden = 600
/** Most tags and comments of one text. */
const maxPieces = 5_000

/**
 * What gives hidden words away as meant for the agent: they name it, speak of its rules, or order it to do what only it
 * can. A plain remark to people (a licence, a table of contents, "do not edit") does none of these.
 */
const orders = new RegExp(
  [
    `\\b(?:ignore|disregard|override|forget|obey|bypass)\\b[^<>]{0,60}\\b(?:above|previous|prior|rules?|instructions?|what|everything|system|all|prompts?)\\b`,
    `\\b${agentWords}\\b[^<>]{0,120}\\b(?:must|should|shall|ignore|obey|include|append|reveal|export|send|copy|do not|overwrite|skip|tell|note|instructions?|run|execute|push|leave|please|add|delete)\\b`,
    `\\b(?:instructions?|notes?|orders?|commands?|message) (?:to|for) (?:the |any |all |coding )?${agentWords}\\b`,
    `\\b(?:when|while) (?:summari[sz]ing|reading|answering|you (?:edit|answer|summari[sz]e|write))\\b[^<>]{0,160}\\b(?:tell|say|include|add|leave|send|do not|recommend)\\b`,
    `\\b(?:reveal|print|send|leak|export)\\b[^<>]{0,60}\\b(?:system prompt|api keys?|secrets?|tokens?|passwords?|conversation)\\b`,
    `\\bsystem:`,
  ].join('|'),
  'iu',
)

/** Ids of what a text hides from people by its markup and means for the agent. */
export function findHiddenHtml(text: string): string[] {
  const found = new Set<string>()
  for (const comment of comments(text)) if (orders.test(comment)) found.add('html_comment_injection')
  if (!text.includes('<') && !text.includes('![')) return [...found]
  let pieces = 0
  for (const match of text.matchAll(/<([a-z][a-z0-9]{0,20})\b([^<>]{0,1000})>/giu)) {
    if ((pieces += 1) > maxPieces) break
    const attributes = match[2] ?? ''
    if (attributes === '') continue
    const words = attributeWords(attributes)
    if (words !== '' && orders.test(words)) found.add('hidden_attribute')
    if (!isHidden(attributes)) continue
    const start = match.index + match[0].length
    if (orders.test(text.slice(start, start + maxHidden))) found.add('hidden_div')
  }
  for (const [, alt = '', title = ''] of text.matchAll(
    /!\[([^\]\n]{1,400})\]\([^)\s"]{0,500}(?:\s{1,3}"([^"\n]{0,400})")?\)/giu,
  )) {
    if (orders.test(`${alt} ${title}`)) found.add('hidden_attribute')
  }
  return [...found]
}

function* comments(text: string): Generator<string> {
  let pieces = 0
  for (let at = text.indexOf('<!--'); at !== -1 && pieces < maxPieces; at = text.indexOf('<!--', at)) {
    pieces += 1
    const body = text.slice(at + 4, at + 4 + 4 * maxHidden)
    const end = body.indexOf('-->')
    yield end === -1 ? body.slice(0, maxHidden) : body.slice(0, end)
    at += 4 + (end === -1 ? maxHidden : end)
  }
  // Markdown's own way to write what is not shown.
  for (const [, words = ''] of text.matchAll(
    /^\s{0,3}\[[^\]\n]{1,40}\]:\s{0,5}(?:#|<>)\s{0,5}[("']([^\n]{1,600})[)"']\s{0,5}$/gmu,
  ))
    yield words
}

function attributeWords(attributes: string): string {
  return [
    ...attributes.matchAll(
      /\b(?:alt|title|aria-label|data-\w{1,20}|content|placeholder)\s{0,3}=\s{0,3}(?:"([^"]{12,600})"|'([^']{12,600})')/giu,
    ),
  ]
    .map(([, double, single]) => double ?? single ?? '')
    .join('\n')
}

function isHidden(attributes: string): boolean {
  if (/(?:^|\s)hidden(?=\s|$|\/|=)/iu.test(attributes)) return true
  const style = /\bstyle\s{0,3}=\s{0,3}(?:"([^"]{0,900})"|'([^']{0,900})')/iu.exec(attributes)
  return style !== null && hidesElement(style[1] ?? style[2] ?? '')
}
