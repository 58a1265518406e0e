import { servicesAt } from './checkpoint-fixture.ts'
import { openGitStore } from './git-store.ts'

// A process that goes back and forth between two checkpoints until it is killed.
const [folder = '', homeDir = '', one = '', other = ''] = process.argv.slice(2)
const store = await openGitStore({ folder }, servicesAt(homeDir))
const { signal } = new AbortController()
process.stdout.write('ready\n')
for (let index = 0; ; index++) await store.restore({ hash: index % 2 === 0 ? one : other, remove: [] }, signal)
