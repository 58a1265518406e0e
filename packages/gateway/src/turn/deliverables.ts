/** A place of a text that stands for a file. */
export interface Deliverable {
  /** Where it stands, UTF-16 units. */
  readonly start: number
  readonly end: number
  /** `media`: a tag; `image`: the address of an image; `path`: the path of an image or a film in the text. */
  readonly type: 'media' | 'image' | 'path'
  /** Path or URL. */
  readonly target: string
  /** What an image is called. */
  readonly caption?: string
}

const spokenMark = '[[audio_as_voice]]'

const mediaExtensions = 'png|jpe?g|gif|webp|mp4|mov|avi|mkv|webm|ogg|opus|mp3|wav|m4a'

/**
 * A quoted path, one with spaces up to a known end, or what has no space. Behind a space it has to look like a path: media are
 * spoken of in prose, too.
 */
const mediaTag = new RegExp(
  `[\`"']?(?<!\\w)MEDIA:[ \\t]*(?:\`([^\`\\n]+)\`|"([^"\\n]+)"|'([^'\\n]+)'|((?:~|/)[^\\n]*?\\.(?i:${mediaExtensions}))(?![\\w/.])|((?:~|\\.{0,2})/\\S+|(?<=MEDIA:)[\\w.]\\S*))[\`"']?`,
  'g',
)

const markdownImage = /!\[([^\][\n]*)\]\((https?:\/\/[^\s)]+)\)/gi
const htmlImage = /<img\b[^<>\n]*?\bsrc=["'](https?:\/\/[^"'<\s]+)["'][^<>\n]*>/gi
const barePath =
  /(?<![\w/:.~"'`(=-])((?:~\/|\/)(?:[\w.-]+\/)*[\w.-]+\.(?:png|jpe?g|gif|webp|mp4|mov|avi|mkv|webm))(?![\w/])/gi

/** Places of images whose address does not end as one. */
const imageHosts = ['fal.media', 'fal-cdn', 'replicate.delivery']

/**
 * The files that an answer names, in the order of the text, none within another: `MEDIA:` tags, images by their address,
 * and paths of images and films. What stands in code is left alone, but for tags in single backticks.
 */
export function findDeliverables(text: string): readonly Deliverable[] {
  const fences = fencedParts(text)
  const code = [...fences, ...inlineCode(text)]
  const media = [...text.matchAll(mediaTag)].map((match): Deliverable => {
    const quoted = match[1] ?? match[2] ?? match[3] ?? match[4]
    const target = (quoted ?? match[5] ?? '').replace(/[`"'.,;:)}\]]+$/, '')
    const cut = quoted === undefined ? match[0].length - trailing(match[0]) : match[0].length
    return { start: match.index, end: match.index + cut, type: 'media', target: target.trim() }
  })
  const images = [...text.matchAll(markdownImage)].flatMap((match): Deliverable[] => {
    const [whole, caption = '', target = ''] = match
    if (!isImageAddress(target)) return []
    const place = { start: match.index, end: match.index + whole.length }
    return [{ ...place, type: 'image', target, ...(caption !== '' && { caption }) }]
  })
  const html = [...text.matchAll(htmlImage)].map((match): Deliverable => {
    return { start: match.index, end: match.index + match[0].length, type: 'image', target: match[1] ?? '' }
  })
  const paths = [...text.matchAll(barePath)].map((match): Deliverable => {
    return { start: match.index, end: match.index + match[0].length, type: 'path', target: match[1] ?? '' }
  })
  const outside = (parts: readonly Span[]) => (one: Deliverable) => !parts.some((part) => isWithin(one, part))
  return apart([
    ...media.filter(({ target }) => target !== '').filter(outside(fences)),
    ...[...images, ...html, ...paths].filter(outside(code)),
  ])
}

/** The text without those places and without the mark of voice messages; what they leave empty is closed. */
export function withoutDeliverables(text: string, taken: readonly Deliverable[]): string {
  let left = ''
  let at = 0
  for (const { start, end } of taken) {
    left += text.slice(at, start)
    at = end
  }
  left += text.slice(at)
  const hadMark = left.includes(spokenMark)
  if (taken.length === 0 && !hadMark) return text
  return left
    .replaceAll(spokenMark, '')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** Whether sound is to be sent as voice messages. */
export function isSpokenText(text: string): boolean {
  return text.includes(spokenMark)
}

/** What a person sees of an answer while it grows: no tags, and none that has only begun. */
export function visibleText(text: string): string {
  const tags = findDeliverables(text).filter(({ type }) => type === 'media')
  return withoutDeliverables(text, tags).replace(/(?:[`"']?MEDIA:[^\n]*|\[\[[a-z_]*\]?)$/, '')
}

interface Span {
  readonly start: number
  readonly end: number
}

function isWithin(one: Span, part: Span): boolean {
  return one.start < part.end && part.start < one.end
}

/** By their places; of two that overlap the first that was found stays. */
function apart(found: readonly Deliverable[]): readonly Deliverable[] {
  const kept: Deliverable[] = []
  for (const one of found) if (!kept.some((other) => isWithin(one, other))) kept.push(one)
  return kept.sort((a, b) => a.start - b.start)
}

function fencedParts(text: string): readonly Span[] {
  return [...text.matchAll(/^[ \t]*(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gm)].map(
    spanOf,
  )
}

function inlineCode(text: string): readonly Span[] {
  return [...text.matchAll(/`[^`\n]+`/g)].map(spanOf)
}

function spanOf(match: RegExpExecArray): Span {
  return { start: match.index, end: match.index + match[0].length }
}

/** Characters of punctuation at the end, which belong to the sentence; an opening quote takes its own with it. */
function trailing(whole: string): number {
  const end = /[`"'.,;:)}\]]+$/.exec(whole)?.[0] ?? ''
  const quote = /^[`"']/.exec(whole)?.[0]
  return quote !== undefined && end.startsWith(quote) ? end.length - 1 : end.length
}

function isImageAddress(url: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)/i.test(url) || imageHosts.some((host) => url.includes(host))
}
