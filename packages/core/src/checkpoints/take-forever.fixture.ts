import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { servicesAt } from './checkpoint-fixture.ts'
import { openGitStore } from './git-store.ts'

// A process that changes files, takes checkpoints of them, goes back to old ones and drops them until it is killed.
const [folder = '', homeDir = '', times = 'Infinity'] = process.argv.slice(2)
const store = await openGitStore({ folder, retention: { keepSeconds: 0 } }, servicesAt(homeDir, { maxSnapshots: 3 }))
const { signal } = new AbortController()
process.stdout.write('ready\n')
for (let index = 0; index < Number(times); index++) {
  for (const name of ['a', 'b', `c${index % 20}`]) {
    await writeFile(join(folder, `${process.pid}-${name}`), randomBytes(50_000).toString('hex'))
  }
  const { hash, needsTidying } = await store.take(`${process.pid} number ${index}`, [], signal)
  if (needsTidying) await store.tidy(signal)
  // Beside another process an old one may be dropped before it is gone back to.
  if (times === 'Infinity' && hash !== undefined && index % 3 === 2) {
    const older = (await store.list(signal)).at(-1)?.hash ?? hash
    await store.restore({ hash: older, remove: [] }, signal)
  }
}
