import { commandNames } from './registry.ts'

/** A text in which commands stand as people write them where a slash does not reach the agent: `!new`, `/hermes new`. */
export function asWritten(text: string, start: string | undefined): string {
  if (start === undefined) return text
  const known = new Set(commandNames())
  return text.replaceAll(/(?<![^\s("“])\/([a-z][a-z-]*)/g, (whole, name: string) =>
    known.has(name) ? `${start}${name}` : whole,
  )
}
