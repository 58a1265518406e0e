import { z } from 'zod'
import { withSkillsLock } from '../store/hub-folder.ts'
import { readLockFile } from '../store/lock-file.ts'
import { HubError } from './hub-error.ts'
import type { Hub } from './hub.ts'
import { installSkill } from './install.ts'
import type { InstallOptions } from './install.ts'
import { dropLostEntries } from './lost-entries.ts'
import { addTap, readTaps } from './taps.ts'

const schema = z.looseObject({
  hermes_version: z.string().catch(''),
  exported_at: z.string().catch(''),
  skills: z.array(
    z.looseObject({
      name: z.string(),
      source: z.string().catch(''),
      identifier: z.string(),
      category: z.string().catch(''),
    }),
  ),
  taps: z.array(z.looseObject({ repo: z.string(), path: z.string().catch('skills/') })).catch([]),
})

/** A list of installed skills and taps, in upstream's form, from which another home can be set up alike. */
export type SkillSnapshot = z.infer<typeof schema>

export async function exportSnapshot(hub: Hub, version: string): Promise<SkillSnapshot> {
  const installed = Object.entries(await readLockFile(hub.home))
  return {
    hermes_version: version,
    exported_at: new Date(hub.now()).toISOString(),
    skills: installed.map(([name, { source, identifier, install_path }]) => {
      return { name, source, identifier, category: install_path.split('/').slice(0, -1).join('/') }
    }),
    taps: (await readTaps(hub.home)).map(({ repo, path }) => ({ repo, path })),
  }
}

/** What an import did with one skill. */
export interface ImportResult {
  readonly name: string
  readonly status: 'installed' | 'present' | 'failed'
  readonly reason?: string
}

/** Reads a snapshot's text. Throws `HubError` `invalid`. */
export function parseSnapshot(text: string): SkillSnapshot {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error
    throw new HubError('invalid', 'This is no snapshot of skills.', { cause: error })
  }
}

/** Installs what a snapshot lists and is not there, each through quarantine and guard; adds its taps. */
export async function importSnapshot(
  hub: Hub,
  snapshot: SkillSnapshot,
  options: Omit<InstallOptions, 'category'>,
  signal: AbortSignal,
): Promise<ImportResult[]> {
  for (const { repo, path } of snapshot.taps) await addTap(hub.home, `${repo}/${path.replace(/\/$/, '')}`, signal)
  await withSkillsLock(hub.home, signal, () => dropLostEntries(hub))
  const results: ImportResult[] = []
  for (const { name, identifier, category } of snapshot.skills) {
    if ((await readLockFile(hub.home))[name] && !options.force) {
      results.push({ name, status: 'present' })
      continue
    }
    try {
      await installSkill(hub, identifier, { ...options, ...(category !== '' && { category }) }, signal)
      results.push({ name, status: 'installed' })
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      results.push({ name, status: 'failed', reason: error.message })
    }
  }
  return results
}
