import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { safeParts } from '../inside.ts'
import { homeSkillsFolder } from '../skill-scope.ts'
import { writeAudit } from '../store/audit-log.ts'
import { withSkillsLock } from '../store/hub-folder.ts'
import { readLockFile, setLockEntry } from '../store/lock-file.ts'
import { discardFolder } from '../store/swap-folder.ts'
import { HubError } from './hub-error.ts'
import type { Hub } from './hub.ts'

/** Removes a skill that was installed from a source; its files stay in `skills/.hub/trash` for a while. Throws `HubError`. */
export async function uninstallSkill(hub: Hub, name: string, signal: AbortSignal): Promise<void> {
  const { home, now } = hub
  await withSkillsLock(home, signal, async () => {
    const entry = (await readLockFile(home))[name]
    if (!entry) {
      throw new HubError(
        'not-found',
        `No skill "${name}" is installed from a source. Bundled and own skills can be switched off: hermes skills config`,
      )
    }
    const folder = join(homeSkillsFolder(home), ...safeParts(entry.install_path))
    if (existsSync(folder)) await discardFolder(home, folder)
    await setLockEntry(home, name, undefined)
    const { source, trust_level: trust, scan_verdict: verdict } = entry
    await writeAudit(home, { action: 'UNINSTALL', name, source, trust, verdict, at: now() })
  })
}
