#!/usr/bin/env node
// The command's entry. It answers `--version` before anything is loaded, turns the compile cache on, and only then loads
// the program: a single file that enabled the cache for itself would be compiled before the call. A Node that is too old
// is told here, in words that old ones understand: npm installs the package for it with no more than a warning.
const [first] = process.argv.slice(2)
const [major, minor] = process.versions.node.split('.').map(Number)
if (first === '--version' || first === '-V') {
  process.stdout.write(`Hermes Agent v${__HERMES_VERSION__}\n`)
} else if (major < 24 || (major === 24 && minor < 11)) {
  process.stderr.write(
    `hermes: needs Node 24.11 or newer; this is Node ${process.versions.node} (${process.execPath}).\n` +
      'Get it from https://nodejs.org, or start Hermes in a checkout with "npm start", which brings its own.\n',
  )
  process.exitCode = 1
} else {
  const { enableCompileCache } = process.getBuiltinModule('node:module')
  const { homedir } = process.getBuiltinModule('node:os')
  enableCompileCache(`${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/hermes/compile`)
  const { main } = await import('./main.mjs')
  await main(process.argv.slice(2))
}
