import { parsePage } from './page-document.ts'
import type { PageDocument } from './page-document.ts'
import { keepVisibleParts } from './visible-parts.ts'

/** What a page says, without what stands around it. */
export interface ReadablePage {
  /** Empty when the page has none. */
  readonly title: string
  /** Markdown; links are whole. */
  readonly markdown: string
}

/** More of a page is left out, characters of HTML. */
const maxHtmlChars = 1_500_000

/** Larger pages are taken whole: to find the main part of one takes long. */
const maxArticleElements = 20_000
const maxArticleChars = 300_000

/** Deeper pages are read without their structure: no page that people see is that deep. */
const maxDepth = 500

/** Articles shorter than this may be the wrong part; then the whole page is taken. */
const minArticlePart = 0.2

/**
 * The text of an HTML page as Markdown. What people do not see (comments, hidden elements, scripts) is left out. `url`
 * makes links whole.
 */
export async function readablePage(html: string, url: string): Promise<ReadablePage> {
  const text = html.slice(0, maxHtmlChars).toWellFormed()
  if (depthOf(text) > maxDepth) return { title: '', markdown: withoutTags(text) }
  const page = await parsePage(text)
  keepVisibleParts(page, url)
  const heading = page.querySelector('title') ?? page.querySelector('h1')
  const title = oneLine(heading?.textContent ?? '')
  page.querySelector('title')?.remove()
  const whole = page.body.innerHTML
  const wholeLength = page.body.textContent.trim().length
  const isLarge = wholeLength > maxArticleChars || [...page.querySelectorAll('*')].length > maxArticleElements
  const article = isLarge ? undefined : await articleOf(page)
  const isEnough = article !== undefined && article.length >= wholeLength * minArticlePart
  return { title: article?.title || title, markdown: await toMarkdown(isEnough ? article.html : whole) }
}

/** The main part of a page; undefined where none stands out. Takes the document apart. */
async function articleOf(page: PageDocument) {
  const { Readability } = await import('@mozilla/readability')
  // It uses the members of a browser's document that linkedom has.
  const found = parseArticle(new Readability(page as never, { charThreshold: 200 }))
  if (!found?.content) return undefined
  return { html: found.content, length: (found.textContent ?? '').trim().length, title: oneLine(found.title ?? '') }
}

/** All that people see of a text in HTML as Markdown, such as of a mail: nothing of it is taken for its main part. */
export async function visibleMarkdown(html: string, url: string): Promise<string> {
  const text = html.slice(0, maxHtmlChars).toWellFormed()
  if (depthOf(text) > maxDepth) return withoutTags(text)
  const page = await parsePage(text)
  keepVisibleParts(page, url)
  page.querySelector('title')?.remove()
  return toMarkdown(page.body.innerHTML)
}

/** It calls itself for each level, which some broken pages have too many of. */
function parseArticle<Article>(reader: { parse(): Article }): Article | undefined {
  try {
    return reader.parse()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

async function toMarkdown(html: string): Promise<string> {
  const [{ default: TurndownService }, { gfm }] = await Promise.all([import('turndown'), import('turndown-plugin-gfm')])
  const options = { headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', emDelimiter: '*' } as const
  return new TurndownService(options)
    .use(gfm)
    .turndown(html)
    .replaceAll(/[ \t]{1,1000}$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** How deep elements are nested at most, about: what is never closed counts as well. */
function depthOf(html: string): number {
  let depth = 0
  let deepest = 0
  for (const [, closing] of html.matchAll(/<(\/)?(?:[a-z][a-z0-9-]{0,30})\b/gi)) {
    depth = closing ? Math.max(0, depth - 1) : depth + 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

function withoutTags(html: string): string {
  return html
    .replaceAll(/<[^<>]{0,5000}>/g, ' ')
    .replaceAll(/[<>]/g, ' ')
    .replaceAll(/\s{1,1000}/g, ' ')
    .trim()
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 300)
}
