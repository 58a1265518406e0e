import { editDistance } from '@hermes/core/text/nearest.ts'
import type { SlashCommand } from './slash-command.ts'

export interface SlashInput {
  readonly name: string
  readonly args: string
}

export type SlashMatch =
  | { readonly kind: 'found'; readonly command: SlashCommand }
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] }

/** The command that a text begins with, or undefined where it is a message (a path such as `/usr/bin` is one). */
export function parseSlash(text: string): SlashInput | undefined {
  const match = /^\/([\p{L}?][\p{L}\d_-]*|\?)(?:\s+([^]*))?$/u.exec(text.trim())
  return match
    ? { name: (match[1] ?? '').toLowerCase().replaceAll('_', '-'), args: (match[2] ?? '').trim() }
    : undefined
}

/** Finds a command by its name, an alias, or a beginning that only one command has. */
export function resolveSlash(name: string, commands: readonly SlashCommand[]): SlashMatch {
  const exact = commands.find((one) => one.name === name) ?? commands.find((one) => one.aliases?.includes(name))
  if (exact) return { kind: 'found', command: exact }
  const starting = commands.filter((one) => namesOf(one).some((known) => known.startsWith(name)))
  const [only, ...others] = starting
  if (only && others.length === 0) return { kind: 'found', command: only }
  if (only) return { kind: 'ambiguous', names: starting.map((one) => one.name) }
  return { kind: 'unknown', nearest: nearestNames(name, commands) }
}

/** Name and aliases. */
export function namesOf(command: SlashCommand): readonly string[] {
  return [command.name, ...(command.aliases ?? [])]
}

function nearestNames(name: string, commands: readonly SlashCommand[]): readonly string[] {
  const scored = commands.map((one) => ({ name: one.name, edits: editDistance(name, one.name) }))
  const near = scored.filter(({ edits }) => edits <= Math.max(1, Math.floor(name.length / 2)))
  return near
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map((one) => one.name)
}
