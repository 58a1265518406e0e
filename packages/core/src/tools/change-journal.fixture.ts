// Changes many files at once, again and again, from one version to the next, until it is killed.
// Arguments: the home, and the folder with the files `0` … `19`.
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { changeFiles } from './change-files.ts'
import type { FileChange } from './change-files.ts'
import { journalPath } from './change-journal.ts'

const [dir = '', work = ''] = process.argv.slice(2)
const home = { dir, path: (...parts: string[]) => join(dir, ...parts) }
const { signal } = new AbortController()

async function targetOf(name: string) {
  const path = join(work, name)
  try {
    return { asked: path, path, stats: await lstat(path, { bigint: true }) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return { asked: path, path, stats: undefined }
  }
}

for (let version = 1; ; version++) {
  const changes: FileChange[] = []
  for (let number = 0; number < 12; number++) {
    changes.push({ type: 'write', target: await targetOf(String(number)), content: Buffer.from(`${version}`) })
  }
  const [from, to] = version % 2 === 1 ? ['left', 'right/moved'] : ['right/moved', 'left']
  changes.push({ type: 'move', from: await targetOf(from ?? ''), target: await targetOf(to ?? '') })
  const flag = await targetOf('flag')
  changes.push(
    version % 2 === 1 ? { type: 'write', target: flag, content: Buffer.from('odd') } : { type: 'remove', target: flag },
  )
  changes.push({ type: 'write', target: await targetOf('last'), content: Buffer.from(`${version}`) })
  await changeFiles(changes, signal, journalPath(home))
  if (version === 1) process.stdout.write('ready\n')
}
