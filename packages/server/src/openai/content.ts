import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { HttpError } from '../http/http-error.ts'

/** What somebody says in a request. */
export interface Said {
  readonly text: string
  /** `data:` and web addresses of images. */
  readonly images: readonly string[]
}

const maxParts = 1_000
const maxDepth = 10
/** Characters of one message. */
const maxTextChars = 2_000_000
const maxImages = 20
/** Characters of the addresses of all images that a turn is given: as many as one request may carry. */
const maxImageChars = 40_000_000

const textPart = lazily(() => z.looseObject({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() }))
const imagePart = lazily(() =>
  z.looseObject({
    type: z.enum(['image_url', 'input_image']),
    image_url: z.union([z.string(), z.looseObject({ url: z.string() }).transform(({ url }) => url)]),
  }),
)

/** The images of earlier messages that a request still has room for, oldest first. */
export function earlierImages(history: readonly Said[], message: Said): readonly string[] {
  return lastImages(
    history.flatMap(({ images }) => images),
    message,
  )
}

/** Those of the images before a message that there is still room for: the last ones, oldest first. */
export function lastImages(before: readonly string[], { images }: Said): readonly string[] {
  let chars = images.reduce((sum, { length }) => sum + length, 0)
  let first = before.length
  for (const url of before.toReversed()) {
    chars += url.length
    if (before.length - first + images.length >= maxImages || chars > maxImageChars) break
    first--
  }
  return before.slice(first)
}

/**
 * The text and the images of a message's content: a text, or a list of parts, texts and lists. Parts of other kinds are
 * left out. Throws `HttpError`.
 */
export function readContent(content: unknown, param: string): Said {
  const texts: string[] = []
  const images: string[] = []
  let parts = 0
  const read = (value: unknown, depth: number): void => {
    if (++parts > maxParts) throw new HttpError(400, 'too_many_parts', `At most ${maxParts} parts.`, { param })
    if (typeof value === 'string') {
      texts.push(value)
      return
    }
    if (Array.isArray(value)) {
      if (depth >= maxDepth) throw new HttpError(400, 'too_deep', `At most ${maxDepth} lists in each other.`, { param })
      for (const one of value) read(one, depth + 1)
      return
    }
    const text = textPart().safeParse(value)
    if (text.success) texts.push(text.data.text)
    const image = imagePart().safeParse(value)
    if (image.success) images.push(image.data.image_url)
  }
  if (content !== null && content !== undefined) read(content, 0)
  const text = texts.filter((one) => one !== '').join('\n')
  if (text.length > maxTextChars) {
    throw new HttpError(400, 'text_too_long', `A message has at most ${maxTextChars} characters.`, { param })
  }
  if (images.length > maxImages) throw new HttpError(400, 'too_many_images', `At most ${maxImages} images.`, { param })
  return { text, images }
}
