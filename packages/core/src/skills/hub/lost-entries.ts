import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { homeSkillsFolder } from '../skill-scope.ts'
import { writeAudit } from '../store/audit-log.ts'
import { readLockFile, setLockEntry } from '../store/lock-file.ts'
import type { Hub } from './hub.ts'

/** Drops entries whose skill is gone: removed by hand, or never put in its place. Call it under the lock. */
export async function dropLostEntries({ home, now }: Hub): Promise<void> {
  for (const [name, entry] of Object.entries(await readLockFile(home))) {
    const isInside = entry.install_path !== '' && !entry.install_path.split('/').includes('..')
    if (isInside && existsSync(join(homeSkillsFolder(home), entry.install_path, 'SKILL.md'))) continue
    await setLockEntry(home, name, undefined)
    const { source, trust_level: trust, scan_verdict: verdict } = entry
    await writeAudit(home, {
      action: 'RECOVERED',
      name,
      source,
      trust,
      verdict,
      extra: 'entry-without-files',
      at: now(),
    })
  }
}
