#!/usr/bin/env node
// The command's entry. It answers `--version` before anything is loaded, turns the compile cache on, and only then loads
// the program: a single file that enabled the cache for itself would be compiled before the call.
const [first] = process.argv.slice(2)
if (first === '--version' || first === '-V') {
  process.stdout.write(`Hermes Agent v${__HERMES_VERSION__}\n`)
} else {
  const { enableCompileCache } = process.getBuiltinModule('node:module')
  const { homedir } = process.getBuiltinModule('node:os')
  enableCompileCache(`${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/hermes/compile`)
  const { main } = await import('./main.mjs')
  await main(process.argv.slice(2))
}
