import { extname } from 'node:path'

export type FileKind = 'text' | 'image' | 'binary'

/** Bytes looked at to tell text from anything else. */
export const kindSampleBytes = 1_000

const imageExtensions: ReadonlySet<string> = new Set(
  'png jpg jpeg gif webp bmp ico tif tiff heic heif avif psd'.split(' ').map((name) => `.${name}`),
)

const binaryExtensions: ReadonlySet<string> = new Set(
  [
    'zip tar gz tgz bz2 xz zst 7z rar jar war whl egg deb rpm dmg iso img cab',
    'exe dll so dylib a o obj lib class pyc pyo wasm node',
    'pdf doc docx xls xlsx ppt pptx odt ods odp epub',
    'mp3 mp4 m4a m4v wav flac ogg opus aac avi mov mkv webm mpg mpeg wmv',
    'ttf otf woff woff2 eot',
    'db sqlite sqlite3 mdb parquet npy npz pkl pickle h5 onnx safetensors gguf',
  ]
    .join(' ')
    .split(' ')
    .map((name) => `.${name}`),
)

/** What a file is by its name alone; `text` also where the name does not tell. */
export function kindByName(path: string): FileKind {
  const extension = extname(path).toLowerCase()
  if (imageExtensions.has(extension)) return 'image'
  return binaryExtensions.has(extension) ? 'binary' : 'text'
}

/** Whether the first bytes of a file are no text: a NUL, or more than 30 % control characters. */
export function looksBinary(start: Uint8Array): boolean {
  const sample = start.subarray(0, kindSampleBytes)
  if (sample.includes(0)) return true
  let controls = 0
  for (const byte of sample) if (isControl(byte)) controls += 1
  return controls > sample.length * 0.3
}

/** Control characters that no text has; tab, line ends, form feed, backspace and escape are met in logs. */
function isControl(byte: number): boolean {
  return byte < 0x20 ? !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b : byte === 0x7f
}
