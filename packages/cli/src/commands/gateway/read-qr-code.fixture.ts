import { createRequire } from 'node:module'

// Its types say that it is an ES module, which it is not.
const readPixels = createRequire(import.meta.url)('jsqr') as (
  pixels: Uint8ClampedArray,
  width: number,
  height: number,
) => { readonly data: string } | null

/** Edge of a module, pixels. */
const scale = 4

/** Reads a code that is drawn with half blocks, as a camera would; the lines around it are left out. */
export function readQrCode(drawn: string): string | undefined {
  const rows = drawn
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/\u001B\[[\d;]*m/g, '')
    .split('\n')
    .filter((line) => /^[ ▀▄█]*[▀▄█][ ▀▄█]*$/.test(line))
    .flatMap((line) => [
      Array.from(line, (cell) => cell === '▀' || cell === '█'),
      Array.from(line, (cell) => cell === '▄' || cell === '█'),
    ])
  const columns = Math.max(...rows.map((row) => row.length))
  const quiet = 4
  const [width, height] = [(columns + 2 * quiet) * scale, (rows.length + 2 * quiet) * scale]
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255)
  for (const [row, cells] of rows.entries()) {
    for (const [column, isDark] of cells.entries()) {
      if (!isDark) continue
      for (let at = 0; at < scale * scale; at++) {
        const x = (column + quiet) * scale + (at % scale)
        const y = (row + quiet) * scale + Math.floor(at / scale)
        pixels.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
      }
    }
  }
  return readPixels(pixels, width, height)?.data
}
