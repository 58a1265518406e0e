import { ImageError } from './image-error.ts'

/** An image as models take it. */
export interface Image {
  readonly bytes: Buffer
  /** e.g. `image/png`. */
  readonly mediaType: string
}

/** Images of more points than this are not opened: each takes four bytes of memory. */
const maxPixels = 120_000_000

/** Longest side that any model looks at as a whole, pixels. */
const maxSide = 4_096

/** Nothing can be made out in less. */
const minSide = 64

/** Makes an image that any model takes of one that is too large or of a kind that few take (SVG): JPEG or PNG. */
export async function shrinkImage({ bytes, mediaType }: Image, maxBytes: number): Promise<Image> {
  const { default: sharp } = await openSharp()
  try {
    const open = () => sharp(bytes, { limitInputPixels: maxPixels, failOn: 'none' }).rotate()
    const { width, height, hasAlpha } = await open().metadata()
    const isDrawing = mediaType === 'image/svg+xml'
    const longest = Math.min(maxSide, Math.max(width, height))
    for (let side = longest; side >= Math.min(minSide, longest); side = Math.floor(side * 0.7)) {
      const smaller = open().resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      const isPng = isDrawing || (hasAlpha && side < 1_024)
      const output = isPng ? smaller.png() : smaller.flatten({ background: '#ffffff' }).jpeg({ quality: 85 })
      const made = await output.toBuffer()
      if (made.length <= maxBytes) return { bytes: made, mediaType: isPng ? 'image/png' : 'image/jpeg' }
    }
  } catch (error) {
    throw new ImageError('kind', 'The image is broken, or has too many points to be made smaller.', { cause: error })
  }
  throw new ImageError('too-large', 'The image cannot be made small enough.')
}

/** The library is optional: there may be none for this machine. */
async function openSharp() {
  try {
    return await import('sharp')
  } catch (error) {
    throw new ImageError(
      'no-shrinking',
      'The image must be made smaller first, which this installation cannot do: the package sharp is not there. Make it smaller by another program, e.g. ImageMagick.',
      { cause: error },
    )
  }
}
