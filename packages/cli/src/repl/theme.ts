import type { Environment } from '@hermes/core/agent/context.ts'
import { WriteStream } from 'node:tty'
import type { Skin } from './skin.ts'

/** Wraps one text in a style; leaves it alone where the terminal shows none. */
export type Paint = (text: string) => string

/** How many colours the terminal shows. `none`: no styling at all is to be written. */
export type ColorLevel = 'none' | '16' | '256' | 'truecolor'

/** A skin's styles for one terminal. */
export interface Theme {
  readonly level: ColorLevel
  readonly skin: Skin
  readonly title: Paint
  readonly bannerDim: Paint
  readonly accent: Paint
  readonly label: Paint
  readonly ok: Paint
  readonly error: Paint
  readonly warn: Paint
  readonly prompt: Paint
  readonly dim: Paint
  readonly bold: Paint
  readonly italic: Paint
  readonly underline: Paint
  readonly strike: Paint
}

export function createTheme(skin: Skin, level: ColorLevel): Theme {
  const color = (hex: string) => painted(level, foreground(hex, level), '39')
  const { colors } = skin
  return {
    level,
    skin,
    title: (text) => bold(color(colors.bannerTitle)(text)),
    bannerDim: color(colors.bannerDim),
    accent: color(colors.accent),
    label: color(colors.label),
    ok: color(colors.ok),
    error: color(colors.error),
    warn: color(colors.warn),
    prompt: color(colors.prompt),
    dim: painted(level, '2', '22'),
    bold,
    italic: painted(level, '3', '23'),
    underline: painted(level, '4', '24'),
    strike: painted(level, '9', '29'),
  }

  function bold(text: string): string {
    return painted(level, '1', '22')(text)
  }
}

/** What the terminal behind a stream shows, from the environment (`NO_COLOR`, `FORCE_COLOR`, `COLORTERM`, `TERM`). */
export function colorLevelOf(environment: Environment): ColorLevel {
  if (environment['NO_COLOR'] || environment['TERM'] === 'dumb') return 'none'
  // The method reads nothing but the environment given to it.
  const depth = WriteStream.prototype.getColorDepth.call(undefined, { ...environment })
  if (depth >= 24) return 'truecolor'
  if (depth >= 8) return '256'
  return depth >= 4 ? '16' : 'none'
}

function painted(level: ColorLevel, open: string, close: string): Paint {
  return level === 'none' ? (text) => text : (text) => (text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`)
}

/** The SGR parameters of a colour, as near to it as the terminal comes. */
function foreground(hex: string, level: ColorLevel): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  const [red = 0, green = 0, blue = 0] = channels
  if (level === 'truecolor') return `38;2;${red};${green};${blue}`
  if (level === '256') {
    const [r, g, b] = channels.map((value) => nearestIndex(cube, value))
    return `38;5;${16 + 36 * (r ?? 0) + 6 * (g ?? 0) + (b ?? 0)}`
  }
  // Of the 16 only the hue counts: a channel is on when it is near the strongest.
  const strongest = Math.max(red, green, blue)
  const on = channels.map((value) => (value > strongest * 0.6 ? 1 : 0))
  return String((strongest > 170 ? 90 : 30) + (on[0] ?? 0) + 2 * (on[1] ?? 0) + 4 * (on[2] ?? 0))
}

/** Channel values of the 6×6×6 cube of the 256 colours. */
const cube = [0, 95, 135, 175, 215, 255]

function nearestIndex(values: readonly number[], wanted: number): number {
  let best = 0
  for (const [index, value] of values.entries()) {
    if (Math.abs(value - wanted) < Math.abs((values[best] ?? 0) - wanted)) best = index
  }
  return best
}
