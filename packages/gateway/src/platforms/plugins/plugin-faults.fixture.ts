// A process with a plugin that fails twice where nobody catches it: `node plugin-faults.fixture.ts [own]`. With `own` the
// process then fails by itself.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { watchPluginFaults } from './plugin-faults.ts'

const home = openHome(process.env)
const folder = join(realpathSync(home.path('plugins')), 'tp')
const { promise: both, resolve } = Promise.withResolvers<void>()
const told: string[] = []
const log = {
  ...silentLogger,
  error(fields: unknown) {
    told.push(JSON.stringify(fields))
    if (told.length === 2) resolve()
  },
}
using _watch = watchPluginFaults({ folder, home, log })
using _another = watchPluginFaults({ folder: `${folder}-other`, home, log })
// What keeps the process alive until it is told otherwise.
const alive = setInterval(() => undefined, 1_000)
await import(pathToFileURL(join(folder, 'index.js')).href)
await both
process.stdout.write(`${told.join('\n')}\n`)
if (process.argv[2] === 'own') void Promise.reject(new Error('a failure of our own'))
else clearInterval(alive)
