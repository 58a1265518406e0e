#!/usr/bin/env node
// The command's entry. It answers `--version` before anything is loaded, and only then loads the program, with what earlier
// runs have compiled of it. A Node that is too old is told here, in words that old ones understand: npm installs the
// package for it with no more than a warning.
import { createCodeLoader } from './code/code-loader.ts'

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
  const isGateway = process.argv.includes('gateway')
  if (isGateway) keepHeapSteady()
  const { homedir } = process.getBuiltinModule('node:os')
  const caches = process.env.XDG_CACHE_HOME || `${homedir()}/.cache`
  const { load } = createCodeLoader({
    folder: import.meta.dirname,
    // Code that was compiled under other flags is of no use.
    cache: `${caches}/hermes/code/${process.version}-${process.arch}${isGateway ? '-gateway' : ''}`,
    importOutside: (specifier) => import(specifier),
  })
  await load(__HERMES_MAIN__).main(process.argv.slice(2))
}

/**
 * Keeps the memory of a process that serves many near what they need. By itself V8 lets the space for new objects grow to
 * 128 MB where much is made and dropped (`young-space.ts` lets it grow as far as it pays), and the one for old objects to
 * a multiple of what is in use before it looks through it. A space that small is looked through by one thread: to wake
 * others for it takes longer than the work. Less of what a function calls is compiled into it: each of V8's threads keeps
 * the memory of its largest compilation, and what that brings is not to be measured here. Compiled code is kept
 * apart by these flags, so they are set before any is loaded, and not when the server starts.
 */
function keepHeapSteady() {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--heap-growing-percent=15')
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=200')
  setFlagsFromString('--max-maglev-inlined-bytecode-size-cumulative=200')
}
