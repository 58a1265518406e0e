import { z } from 'zod'

/**
 * One running process in `processes.json`. The names are upstream's, which reads the file too; `pid_started` and
 * `owner_pid` are ours: they tell a process from a later one with the same id, and a crashed run from a living one.
 */
const recordSchema = z.looseObject({
  session_id: z.string(),
  command: z.string(),
  pid: z.int(),
  pid_scope: z.string().nullish(),
  cwd: z.string().nullish(),
  started_at: z.number().nullish(),
  task_id: z.string().nullish(),
  pid_started: z.string().nullish(),
  owner_pid: z.int().nullish(),
  owner_started: z.string().nullish(),
})

export type ProcessRecord = z.output<typeof recordSchema>

/** The records in the text of `processes.json`. A file that others broke holds nothing to go on. */
export function parseRecords(text: string): readonly ProcessRecord[] {
  const parsed = z.array(z.unknown()).safeParse(parseJson(text))
  return (parsed.data ?? []).flatMap((entry) => recordSchema.safeParse(entry).data ?? [])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
