import { createFileRoom } from './file-room.ts'
import { readKept, sweepKept, writeKept } from './kept-code.ts'
import type { V8Flags } from './v8-flags.ts'
import type { Script } from 'node:vm'

export interface CodeLoaderOptions {
  /** Where the files are; absolute. The name of each tells its content: what is compiled of it is kept by its name. */
  readonly folder: string
  /** Where what is compiled is kept. It is made when there is something to keep. */
  readonly cache: string
  /** Imports what is no file of the bundle: packages beside it, and modules of plugins. */
  readonly importOutside: (specifier: string) => Promise<unknown>
  /** What is kept was compiled under the usual ones. */
  readonly flags: V8Flags
}

/**
 * Loads the files of the bundle with what earlier runs have compiled of them. Node's own compile cache keeps a file as it
 * is before it runs, when V8 has compiled nearly none of its functions; what is kept here is taken after a run, with all
 * functions that the run has called.
 */
export interface CodeLoader {
  /** The exports of a file, e.g. `main.cjs`. Throws what the file throws, each time anew. */
  readonly load: (name: string) => unknown
  /**
   * Keeps what has been compiled by now of the files that were loaded, where few runs have added to it: once, at the latest
   * at the end of the process. What cannot be written is compiled anew next time.
   */
  readonly keep: () => void
}

/** Runs that add to what is kept of a file: each calls only some of its functions. */
const mostRuns = 3

/** How long after the start a process that goes on keeps it, ms: later V8 forgets what has not been called for long. */
const keepAfterMs = 60_000

/** How long what is kept is left, ms: of versions that are gone nobody needs it, of others it is made again. */
const keptForMs = 30 * 24 * 3_600_000

interface CompiledFile {
  readonly name: string
  readonly script: Script
  /** Runs that have added to what is kept of it; 0 where nothing was, or it was of another Node. */
  readonly runs: number
}

/** Of the file that the bundle's format makes of a module. */
type Wrapped = (
  exports: unknown,
  require: (id: string) => unknown,
  module: { readonly exports: unknown },
  filename: string,
  folder: string,
  importOutside: CodeLoaderOptions['importOutside'],
) => void

export function createCodeLoader({ folder, cache, importOutside, flags }: CodeLoaderOptions): CodeLoader {
  const paths = process.getBuiltinModule('node:path')
  const { createRequire } = process.getBuiltinModule('node:module')
  const vm = process.getBuiltinModule('node:vm')
  const requireOutside = createRequire(paths.join(folder, 'main.cjs'))
  const room = createFileRoom()
  const modules = new Map<string, { readonly exports: unknown }>()
  const compiled: CompiledFile[] = []
  let isKept = false

  const builtins = new Map<string, unknown>()
  const builtin = (id: string): unknown => {
    // Some are asked for again and again, and V8 forgets much when its flags change.
    const known = builtins.get(id)
    if (known !== undefined) return known
    const found: unknown = flags.natively(() => process.getBuiltinModule(id))
    builtins.set(id, found)
    return found
  }
  /** An `import()` by Node itself has it load all that ES modules need. */
  const importAny = async (id: string) => (id.startsWith('node:') ? builtin(id) : undefined) ?? importOutside(id)

  function load(name: string): unknown {
    const known = modules.get(name)
    if (known) return known.exports
    const module = { exports: {} }
    modules.set(name, module)
    const filename = paths.join(folder, name)
    const own = paths.dirname(name)
    const require = (id: string): unknown => {
      if (id.startsWith('.')) return load(paths.join(own, id))
      return builtin(id) ?? requireOutside(id)
    }
    try {
      const run = compile(name, filename)
      run(module.exports, require, module, filename, paths.dirname(filename), importAny)
    } catch (error) {
      // Whoever asks again gets the same failure, and no half of a file.
      modules.delete(name)
      throw error
    }
    return module.exports
  }

  function compile(name: string, filename: string): Wrapped {
    // The build writes ASCII alone.
    const text = room.read(filename).toString('latin1')
    const kept = readKept(pathOf(name), room.read)
    const script = flags.usually(() => new vm.Script(text, { filename, ...(kept && { cachedData: kept.code }) }))
    compiled.push({ name, script, runs: kept && !script.cachedDataRejected ? kept.runs : 0 })
    return script.runInThisContext() as Wrapped
  }

  const pathOf = (name: string) => paths.join(cache, name.slice(name.lastIndexOf('/') + 1))

  function keep(): void {
    if (isKept) return
    isKept = true
    clearTimeout(late)
    const lacking = compiled.filter(({ runs }) => runs < mostRuns)
    if (lacking.length === 0) return
    try {
      for (const { name, script, runs } of lacking) {
        writeKept(pathOf(name), { code: flags.usually(() => script.createCachedData()), runs: runs + 1 })
      }
      sweepKept(cache, keptForMs)
    } catch {
      // A disk that is full or cannot be written costs time at the next start, and nothing else.
    }
  }

  const late = setTimeout(keep, keepAfterMs).unref()
  process.once('exit', keep)
  return { load, keep }
}
