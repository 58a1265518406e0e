#!/usr/bin/env node
// The command's entry. It answers `--version` before anything is loaded, and only then loads the program, with what earlier
// runs have compiled of it. A Node that is too old is told here, in words that old ones understand: npm installs the
// package for it with no more than a warning.
import { createCodeLoader } from './code/code-loader.ts'
import { hadPlatforms } from './code/last-gateway.ts'
import { restCompilers } from './code/resting-compilers.ts'
import { createV8Flags } from './code/v8-flags.ts'

const words = process.argv.slice(2)
const [first] = words
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
  const next = words[words.indexOf('gateway') + 1]
  const isGateway = words.includes('gateway') && (!next || next === 'run' || next.startsWith('-'))
  const { homedir } = process.getBuiltinModule('node:os')
  const caches = process.env.XDG_CACHE_HOME || `${homedir()}/.cache`
  // It wakes them under load. Before all else, so that what is kept is compiled and used under the same flags.
  const rests = isGateway && !hadPlatforms(process.env.HERMES_HOME || `${homedir()}/.hermes`)
  if (rests) restCompilers()
  const flags = createV8Flags(rests)
  const { load } = createCodeLoader({
    folder: import.meta.dirname,
    // Gateways call other functions than commands do that end soon.
    cache: `${caches}/hermes/code/${process.version}-${process.arch}${isGateway ? (rests ? '-gateway' : '-chats') : ''}`,
    importOutside: (specifier) => import(specifier),
    flags,
  })
  void load(__HERMES_MAIN__).main(words, flags)
}
