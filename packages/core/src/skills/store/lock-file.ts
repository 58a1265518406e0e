import { z } from 'zod'
import type { Home } from '../../config/home.ts'
import { ensureHubFolder, hubPath } from './hub-folder.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'

const entry = z.looseObject({
  source: z.string().catch(''),
  identifier: z.string().catch(''),
  trust_level: z.string().catch('community'),
  scan_verdict: z.string().catch('unknown'),
  content_hash: z.string().catch(''),
  install_path: z.string().catch(''),
  files: z.array(z.string()).catch([]),
  metadata: z.record(z.string(), z.unknown()).catch({}),
  installed_at: z.string().catch(''),
  updated_at: z.string().catch(''),
})

const schema = z.looseObject({ version: z.number().catch(1), installed: z.record(z.string(), entry).catch({}) })

/** What is known of one installed skill: `lock.json` in upstream's form. */
export type LockEntry = z.infer<typeof entry>

/** The installed skills by name. */
export async function readLockFile(home: Home): Promise<Readonly<Record<string, LockEntry>>> {
  const { installed } = await readJsonFile(hubPath(home, 'lock.json'), schema, { version: 1, installed: {} })
  return installed
}

/** Sets or, with undefined, removes one skill's entry; everything else stays. Call it under the lock of the skills. */
export async function setLockEntry(home: Home, name: string, value: LockEntry | undefined): Promise<void> {
  await ensureHubFolder(home)
  const file = await readJsonFile(hubPath(home, 'lock.json'), schema, { version: 1, installed: {} })
  const installed = new Map(Object.entries(file.installed))
  if (value) installed.set(name, value)
  else installed.delete(name)
  await writeJsonFile(hubPath(home, 'lock.json'), { ...file, installed: Object.fromEntries(installed) })
}
