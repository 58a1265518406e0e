import { chmod } from 'node:fs/promises'
import { writeFileAtomic } from '../storage/atomic-write.ts'

/** Writes a file that only its owner may read: 0600, also where an earlier one was open to others. */
export async function writePrivateFile(path: string, data: string | Uint8Array): Promise<void> {
  await writeFileAtomic(path, data, { mode: 0o600 })
  await chmod(path, 0o600)
}
