import type { MessageLimits } from '../platforms/platform.ts'
import type { ChatDisplay } from './chat-display.ts'

/** Longest arguments shown in verbose mode, characters. */
const maxArgs = 600

/** Lines that are kept; earlier ones are left out. */
const maxLines = 30

/** The tool calls of a turn as lines of one message. */
export interface ProgressLines {
  /** A call begins. True where there is something new to show. */
  add(call: { readonly name: string; readonly preview: string; readonly args: unknown }): boolean
  /** The latest of them that its platform takes in one message. */
  text(limits: MessageLimits): string
}

export function createProgressLines({ toolProgress, previewLength }: ChatDisplay): ProgressLines {
  const lines: { readonly line: string; readonly name: string; count: number }[] = []
  return {
    add({ name, preview, args }) {
      if (toolProgress === 'off') return false
      const last = lines.at(-1)
      if (toolProgress === 'new' && last?.name === name) return false
      const line = lineOf(name, toolProgress === 'verbose' ? argsText(args) : quoted(preview, previewLength))
      if (last?.line === line) last.count++
      else lines.push({ line, name, count: 1 })
      if (lines.length > maxLines) lines.shift()
      return true
    },
    text({ maxLength, lengthOf = (text) => text.length }) {
      const shown = lines.map(({ line, count }) => (count > 1 ? `${line} (×${count})` : line))
      while (shown.length > 1 && lengthOf(shown.join('\n')) > maxLength) shown.shift()
      const text = shown.join('\n')
      return lengthOf(text) > maxLength ? `${text.slice(0, maxLength / 8)}…`.toWellFormed() : text
    },
  }
}

function lineOf(name: string, what: string): string {
  return what === '' ? `⚙️ ${name} …` : `⚙️ ${name}: ${what}`
}

function quoted(preview: string, length: number): string {
  const flat = preview.replaceAll(/\s+/g, ' ').trim()
  if (flat === '') return ''
  const characters = Array.from(flat)
  return `"${characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : flat}"`
}

function argsText(args: unknown): string {
  const text = JSON.stringify(args ?? {})
  return text.length > maxArgs ? `${text.slice(0, maxArgs)}…`.toWellFormed() : text
}
