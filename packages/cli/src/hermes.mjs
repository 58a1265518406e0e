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
  if (process.argv.includes('gateway')) keepHeapSteady()
  const { enableCompileCache } = process.getBuiltinModule('node:module')
  const { homedir } = process.getBuiltinModule('node:os')
  enableCompileCache(`${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/hermes/compile`)
  const { main } = await import('./main.mjs')
  await main(process.argv.slice(2))
}

/**
 * Keeps the memory of a process that serves many near what they need. By itself V8 lets the space for new objects grow to
 * 128 MB where much is made and dropped (`young-space.ts` lets it grow as far as it pays), and the one for old objects to
 * a multiple of what is in use before it looks through it. A space that small is looked through by one thread: to wake
 * others for it takes longer than the work. Less of what a function calls is compiled into it: each of V8's threads keeps
 * the memory of its largest compilation, and what that brings is not to be measured here. The compile cache holds compiled
 * code apart by these flags, so they are set before it is opened, and not when the server starts.
 */
function keepHeapSteady() {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--heap-growing-percent=15')
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=200')
  setFlagsFromString('--max-maglev-inlined-bytecode-size-cumulative=200')
}
