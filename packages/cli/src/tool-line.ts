import { styleText } from 'node:util'
import type { ToolStatus } from '@hermes/core/tools/tool.ts'
import type { Cli } from './command.ts'
import { cleanLine } from './repl/clean-text.ts'

const marks: Readonly<Record<ToolStatus, readonly [mark: string, colour: 'green' | 'red' | 'yellow']>> = {
  ok: ['✓', 'green'],
  error: ['✗', 'red'],
  denied: ['⊘', 'yellow'],
  cancelled: ['⊘', 'yellow'],
}

/** A finished tool call as one line: `┊ terminal  npm test  ✓ 1.2s`. Coloured where stderr is a terminal that wants it. */
export function toolLine(
  call: { readonly name: string; readonly preview: string; readonly status: ToolStatus; readonly durationMs: number },
  { stderr, environment }: Pick<Cli, 'stderr' | 'environment'>,
): string {
  const [mark, colour] = marks[call.status]
  const outcome = `${mark} ${seconds(call.durationMs)}`
  const coloured = stderr.isTTY && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb'
  const what = oneLine(call.preview, 80)
  return `┊ ${oneLine(call.name, 40)}${what === '' ? '' : `  ${what}`}  ${coloured ? styleText(colour, outcome, { validateStream: false }) : outcome}`
}

/** Text from outside, safe and short enough for one line of a terminal. */
export function oneLine(text: string, maxLength: number): string {
  const flat = cleanLine(text)
  const characters = Array.from(flat)
  return characters.length <= maxLength ? flat : `${characters.slice(0, maxLength - 1).join('')}…`
}

/** `0.4s`, `12s`, `3m05s`. */
export function seconds(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)}s`
  const whole = Math.round(ms / 1000)
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, '0')}s`
}
