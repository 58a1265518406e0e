// Makes a checkout ready: installs the locked dependencies when they are missing or older than the lock, and with
// `--build` bundles the command when a source is newer than the bundle. Runs on the machine's own Node (20 or newer),
// before the pinned Node 24 is there; everything after it runs on Node 24, which npm puts first in the PATH.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'node_modules', '.hermes-lock')
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  console.error('Installing dependencies (first run, or the lock has changed) ...')
  run('npm', ['ci', '--loglevel=error', '--no-fund', '--no-audit'])
  writeFileSync(stamp, lock)
}

if (process.argv.includes('--build') && newestSource() > modified(join(root, 'dist', 'hermes.cjs'))) {
  console.error('Building hermes ...')
  run(join(root, 'node_modules', '.bin', 'node'), [join(root, 'scripts', 'build.mjs')])
}

function run(command, args) {
  const shell = process.platform === 'win32'
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell })
  if (result.status !== 0) {
    console.error(`\n${command} ${args.join(' ')} failed. Check the messages above, then run this again.`)
    process.exit(result.status ?? 1)
  }
}

function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0
}

/** Newest change among everything that the bundle is made from, in ms since the epoch. */
function newestSource() {
  let newest = Math.max(modified(join(root, 'package.json')), modified(join(root, 'scripts', 'build.mjs')))
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name))
  const sources = [...packages, join(root, 'sdk', 'typescript')].flatMap((name) => [
    join(name, 'src'),
    join(name, 'static'),
  ])
  for (const source of sources) {
    if (!existsSync(source)) continue
    for (const entry of readdirSync(source, { recursive: true }))
      newest = Math.max(newest, modified(join(source, entry)))
  }
  return newest
}
