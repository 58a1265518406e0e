import QrCode from 'qrcode-terminal/vendor/QRCode/index.js'

/** Error correction that the smallest code has: a screen is neither torn nor dirty. */
const levelLow = 1

/** Empty modules around the code, as readers want them. */
const quiet = 4

/** The modules of a QR code with its empty border, row by row; true: dark. */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  const code = new QrCode(-1, levelLow)
  code.addData(text)
  code.make()
  const size = code.getModuleCount()
  const all = Array.from({ length: size + 2 * quiet }, (_, row) => row - quiet)
  const isDark = (row: number, column: number) =>
    row >= 0 && column >= 0 && row < size && column < size && code.isDark(row, column)
  return all.map((row) => all.map((column) => isDark(row, column)))
}

/** Black on white in colours of its own, so that it is the same in dark and light terminals. */
const [paint, reset] = ['\u001B[38;5;16;48;5;231m', '\u001B[0m']

/** A code as text: two rows of modules in a line. */
export function terminalLines(modules: readonly (readonly boolean[])[]): {
  readonly text: string
  readonly columns: number
} {
  const lines: string[] = []
  for (let row = 0; row < modules.length; row += 2) {
    const [upper = [], lower = []] = modules.slice(row, row + 2)
    const cells = upper.map((isDark, column) => (isDark ? (lower[column] ? '█' : '▀') : lower[column] ? '▄' : ' '))
    lines.push(`${paint}${cells.join('')}${reset}`)
  }
  return { text: lines.join('\n'), columns: modules[0]?.length ?? 0 }
}
