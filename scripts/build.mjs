// Bundles the command: `dist/hermes.mjs` (a tiny entry that turns the compile cache on) and lazily loaded chunks beside
// it, then links it as `node_modules/.bin/hermes`. The folder is built aside and swapped in, so that an interrupted
// build leaves the old one.
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const fresh = join(root, `dist.new-${process.pid}`)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Tells what tools there are without loading any: their facts are written into the bundle. */
const writtenToolFacts = {
  name: 'written-tool-facts',
  async load(id) {
    if (!id.endsWith('/core/src/tools/tool-facts.ts')) return null
    const { toolFacts } = await import(id)
    return `const facts = ${JSON.stringify(await toolFacts())}\nexport const toolFacts = async () => facts`
  },
}

const builtinsWithoutEsm = {
  name: 'builtins-without-esm',
  renderChunk: (code) => ({ code: withoutBuiltinImports(code), map: null }),
}

/**
 * A file with one character outside Latin-1 is held in memory at two bytes a character, and one outside ASCII is slower to
 * decode. What is escaped is text and patterns: names are short by now, and no template is read raw.
 */
const inAscii = {
  name: 'in-ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      chunk.code = chunk.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    }
  },
}

await build({
  cwd: root,
  input: { main: 'packages/cli/src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // The crypto of Matrix reads a file beside itself.
  external: ['@lydell/node-pty', 'sharp', '@matrix-org/matrix-sdk-crypto-wasm'],
  resolve: { conditionNames: ['development', 'import', 'module', 'node', 'default'] },
  transform: { define: { __HERMES_VERSION__: JSON.stringify(version) } },
  plugins: [writtenToolFacts, builtinsWithoutEsm, inAscii],
  output: {
    dir: fresh,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    codeSplitting: {
      groups: [
        {
          // What every command line goes through, help included.
          name: 'base',
          test: /core\/src\/(text\/nearest|config\/home|agent\/(decision|clock)|models\/(model-error|model-reference))|cli\/src\/(command|commands|root-command|help-text|select-profile|optional-values|parse-arguments|version)\.ts/,
          priority: 3,
        },
        { name: 'zod', test: /node_modules\/zod/, priority: 2 },
        {
          name: 'profile',
          test: /core\/src\/config\/(open-profile|load|config-cache|config-error|environment|environment-layer|expand|dotenv|variables|bindings|tree|sources|key-path|variable-values|short-forms)\.ts/,
          priority: 2,
          includeDependenciesRecursively: false,
        },
        { name: 'yaml', test: /node_modules\/yaml/, priority: 2 },
        { name: 'turn', test: isOnTurnPath, priority: 1 },
        {
          // Whether a chat platform is set up is asked by every turn that may write to one.
          name: 'platforms-named',
          test: /gateway\/src\/platforms\/(mentioned|registry)\.ts/,
          priority: 2,
          includeDependenciesRecursively: false,
        },
        // What every gateway loads, its chat commands included; each platform is a file of its own.
        {
          name: 'gateway-life',
          test: /packages\/gateway\/src\/(?!platforms\/|hooks\/boot|life\/(setup|system-service)\/|.*\.test\.)|gateway\/src\/platforms\/(platform-(error|runner)|plugins\/)|core\/src\/cron\/(?!check-prompt)/,
          priority: 1,
          includeDependenciesRecursively: false,
        },
      ],
    },
  },
  logLevel: 'warn',
  // A module that one command loads lazily may be a static part of another.
  onLog: (level, log, handle) => (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' ? undefined : handle(level, log)),
})

// The page for phones: what `packages/gateway/src/http/phone-app.ts` serves.
const app = join(root, 'packages', 'phone-app')
await build({
  cwd: root,
  input: { app: join(app, 'src', 'main.ts'), sw: join(app, 'src', 'sw.ts') },
  platform: 'browser',
  resolve: { conditionNames: ['browser', 'development', 'import', 'module', 'default'] },
  output: { dir: join(fresh, 'app'), format: 'esm', minify: true, entryFileNames: '[name].js' },
  logLevel: 'warn',
})
cpSync(join(app, 'static'), join(fresh, 'app'), { recursive: true })

/**
 * What every turn loads is one file: each more costs about a third of a millisecond. Small things that are also used
 * before a turn stay out of it.
 */
function isOnTurnPath(file) {
  const inCore = file.match(/packages\/core\/src\/(.+)\.ts$/)?.[1]
  if (inCore === undefined) return false
  const isLoaded =
    /^(agent|browser\/(session-browser|availability|choose-backend|local\/find-chromium)$|context|tools|terminals|memory|storage|sessions|models\/(openai-compatible|wire|keys|net|providers|resolution|[^/]+$|catalogue\/(registry|find-row)$)|credentials\/cooldown$|security\/(redact|secrets|file-safety|known|injection\/(scan-kept|scanner-fingerprint)))/
  const isLater =
    /^(context\/(prefill-schema|compaction\/|references\/)|memory\/(?!memory-(files|error|format)$)|sessions\/(analytics|branch|export|repair|search|session-id)|tools\/(?!registry|tool-source|tool-facts|toolsets|result-limit|file-reads|todo-item|media-availability)|terminals\/pty|terminals\/process-record$|models\/(model-error|offline|wire\/list-models))/
  return isLoaded.test(inCore) && !isLater.test(inCore)
}

/**
 * Importing a built-in module as ESM reads every export of it, which loads parts of Node that nothing asked for (some
 * 4 ms each for `node:crypto`, `node:fs` and `node:util`); taking it from the process does not.
 */
function withoutBuiltinImports(code) {
  return code.replaceAll(
    /(^|[;\n}])import\s*([^;"'()]*?)\s*from\s*["'](node:[\w/]+)["'];?/g,
    (_whole, before, names, module) => {
      const builtin = `process.getBuiltinModule("${module}")`
      const [first = '', rest] = names.startsWith('{') || names.startsWith('*') ? ['', names] : names.split(/,(.*)/s)
      const parts = []
      if (first.trim() !== '') parts.push(`${first.trim()}=${builtin}`)
      const others = (rest ?? '').trim()
      if (others.startsWith('{')) parts.push(`${others.replaceAll(/\bas\b/g, ':')}=${builtin}`)
      if (others.startsWith('*')) parts.push(`${others.replace(/^\*\s*as\s*/, '')}=${builtin}`)
      return `${before}const ${parts.join(',')};`
    },
  )
}

writeFileSync(
  join(fresh, 'hermes.mjs'),
  readFileSync(join(root, 'packages', 'cli', 'src', 'hermes.mjs'), 'utf8').replace(
    '__HERMES_VERSION__',
    JSON.stringify(version),
  ),
)
chmodSync(join(fresh, 'hermes.mjs'), 0o755)

const old = join(root, `dist.old-${process.pid}`)
try {
  renameSync(dist, old)
} catch (error) {
  if (error.code !== 'ENOENT') throw error
}
renameSync(fresh, dist)
rmSync(old, { recursive: true, force: true })

if (process.platform !== 'win32') {
  const bin = join(root, 'node_modules', '.bin')
  mkdirSync(bin, { recursive: true })
  rmSync(join(bin, 'hermes'), { force: true })
  symlinkSync('../../dist/hermes.mjs', join(bin, 'hermes'))
}
