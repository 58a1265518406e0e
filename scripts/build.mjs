// Bundles the command: `dist/hermes.cjs` (a tiny entry, which loads the rest as `packages/cli/src/code/code-loader.ts`
// says) and lazily loaded chunks beside it, then links it as `node_modules/.bin/hermes`. The folder is built aside and
// swapped in, so that an interrupted build leaves the old one.
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'

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

/** To compile a parser for each shape takes longer than it saves: most shapes are read a few times in a process. */
const shapesWithoutCompiling = {
  name: 'shapes-without-compiling',
  transform: (code, id) =>
    id.endsWith('/zod/v4/core/core.js') ? { code: `${code}\nconfig({ jitless: true })\n`, map: null } : null,
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

/** Makes each file the function that the loader calls, with what imports that stay in it are made by. */
const asFunction = {
  name: 'as-function',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const code = withoutImports(chunk.code, chunk.fileName)
      chunk.code = `(function(exports,require,module,__filename,__dirname,importOutside){${code}\n})`
    }
  },
}

function withoutImports(code, fileName) {
  const { program, errors } = parseSync(fileName, code, { sourceType: 'commonjs' })
  if (errors.length > 0) throw new Error(`${fileName}: ${errors[0].message}`)
  const starts = []
  new Visitor({ ImportExpression: ({ start }) => void starts.push(start) }).visit(program)
  return starts
    .toSorted((a, b) => b - a)
    .reduce((text, at) => `${text.slice(0, at)}importOutside${text.slice(at + 'import'.length)}`, code)
}

/** A file that is loaded while it loads another one finds nothing in that: the groups below are made so that none does. */
const withoutCycles = {
  name: 'without-cycles',
  generateBundle(_options, bundle) {
    const done = new Set()
    const look = (name, above) => {
      if (above.includes(name)) throw new Error(`Files load each other: ${[...above, name].join(' > ')}`)
      if (done.has(name)) return
      for (const next of bundle[name]?.imports ?? []) look(next, [...above, name])
      done.add(name)
    }
    for (const name of Object.keys(bundle)) look(name, [])
  },
}

const { output } = await build({
  cwd: root,
  input: { main: 'packages/cli/src/main.ts' },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // The crypto of Matrix reads a file beside itself.
  external: ['@lydell/node-pty', 'sharp', '@matrix-org/matrix-sdk-crypto-wasm'],
  resolve: { conditionNames: ['development', 'import', 'module', 'node', 'default'] },
  transform: { define: { __HERMES_VERSION__: JSON.stringify(version) } },
  plugins: [writtenToolFacts, shapesWithoutCompiling, withoutCycles, asFunction, inAscii],
  output: {
    dir: fresh,
    format: 'cjs',
    minify: true,
    // What is compiled of a file is kept by its name.
    entryFileNames: '[name]-[hash].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
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
          test: /core\/src\/config\/(open-profile|load|config-cache|config-error|environment|environment-layer|expand|dotenv|variables|bindings|tree|sources|key-path|variable-values|short-forms|platform-variables|schema-fingerprint|read-if-there)\.ts/,
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
        // What platforms reach others with, and phones reach them: all of TLS and of web sockets is behind it.
        {
          name: 'links',
          test: /node_modules\/ws\/|gateway\/src\/http\/(outbound|socks-agent|socket-server|gathering-socket)\.ts/,
          priority: 2,
          includeDependenciesRecursively: false,
        },
        // What answers chats, and sends.
        {
          name: 'chats',
          test: /gateway\/src\/(turn\/(dispatch|until-settled|inbound-content|answer-message|typing|turn-record|turn-limits|speak-answer|run-chat-turn|place-skills|message-text|progress-marks|chat-place)|display\/(turn-view|progress-lines|live-message)|hooks\/turn-hooks|deliver\/(reply-mode|human-delay|sender)|sessions\/(tell-of-session|session-notices)|commands\/(?!open-menus|command\.)[a-z-]+|platforms\/platform-runner)\.ts/,
          priority: 2,
          includeDependenciesRecursively: false,
        },
        // What every gateway loads; each platform is a file of its own.
        {
          name: 'gateway-life',
          test: /packages\/gateway\/src\/(?!platforms\/|life\/(setup|system-service)\/|.*\.test\.)|gateway\/src\/platforms\/(platform-error|plugins\/)|core\/src\/cron\/(?!check-prompt)/,
          priority: 1,
          includeDependenciesRecursively: false,
        },
      ],
    },
  },
  logLevel: 'warn',
  onLog(level, log, handle) {
    // A module that one command loads lazily may be a static part of another.
    if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return
    if (log.code === 'EMPTY_IMPORT_META') {
      // It looks for the fonts of a package that is not here, and goes on without.
      if (log.id?.includes('node_modules/unpdf/')) return
      throw new Error(log.message)
    }
    handle(level, log)
  },
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

await build({
  cwd: root,
  input: { hermes: 'packages/cli/src/hermes.mjs' },
  platform: 'node',
  transform: {
    target: 'es2022',
    define: { __HERMES_VERSION__: JSON.stringify(version), __HERMES_MAIN__: JSON.stringify(output[0].fileName) },
  },
  output: { dir: fresh, format: 'cjs', minify: true, entryFileNames: '[name].cjs' },
  logLevel: 'warn',
})
chmodSync(join(fresh, 'hermes.cjs'), 0o755)

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
  symlinkSync('../../dist/hermes.cjs', join(bin, 'hermes'))
}
