import { z } from 'zod'

/**
 * What git does not keep of files, written below the reason of a checkpoint: one line of JSON, which other readers of
 * the repository pass over.
 */
const schema = z.object({
  /** Permission bits, octal: of most files, of most programs, and of each file that has others. */
  plain: z.string().default('644'),
  program: z.string().default('755'),
  modes: z.record(z.string(), z.array(z.string())).default({}),
  /** Files that were there and were not kept. */
  leftOut: z.array(z.string()).default([]),
})

export type CheckpointNotes = z.infer<typeof schema>

const mark = 'Hermes-Files: '
/** Most files named in the notes, of each kind. */
const maxNamed = 5_000

/** The message of a checkpoint: its reason, then the notes. */
export function messageWithNotes(
  reason: string,
  { modes, leftOut }: { readonly modes: ReadonlyMap<string, number>; readonly leftOut: readonly string[] },
): string {
  const isProgram = (mode: number) => (mode & 0o100) !== 0
  const plain = mostCommon([...modes.values()].filter((mode) => !isProgram(mode))) ?? 0o644
  const program = mostCommon([...modes.values()].filter(isProgram)) ?? 0o755
  const others: Record<string, string[]> = {}
  let named = 0
  for (const [path, mode] of modes) {
    if (mode === plain || mode === program || named++ >= maxNamed) continue
    const list = (others[mode.toString(8)] ??= [])
    list.push(path)
  }
  const notes: CheckpointNotes = {
    plain: plain.toString(8),
    program: program.toString(8),
    modes: others,
    leftOut: leftOut.slice(0, maxNamed),
  }
  return `${reason}\n\n${mark}${JSON.stringify(notes)}\n`
}

/** The notes in a message. Undefined where it has none, as upstream's have not. */
export function notesOf(message: string): CheckpointNotes | undefined {
  const line = message.split('\n').findLast((one) => one.startsWith(mark))
  if (line === undefined) return undefined
  try {
    const parsed = schema.safeParse(JSON.parse(line.slice(mark.length)))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** The mode that a file had, by the notes. */
export function modeIn(notes: CheckpointNotes): (path: string, isProgram: boolean) => number {
  const byPath = new Map<string, number>()
  for (const [mode, paths] of Object.entries(notes.modes)) for (const path of paths) byPath.set(path, octal(mode))
  return (path, isProgram) => byPath.get(path) ?? octal(isProgram ? notes.program : notes.plain)
}

function octal(text: string): number {
  return Number.parseInt(text, 8) & 0o777
}

function mostCommon(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}
