// Bundles the command: `dist/hermes.mjs` (a tiny entry that turns the compile cache on) and lazily loaded chunks beside
// it, then links it as `node_modules/.bin/hermes`. The folder is built aside and swapped in, so that an interrupted
// build leaves the old one.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const fresh = join(root, `dist.new-${process.pid}`)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

await build({
  cwd: root,
  input: { main: 'packages/cli/src/main.ts' },
  platform: 'node',
  external: ['@lydell/node-pty'],
  resolve: { conditionNames: ['development', 'import', 'module', 'node', 'default'] },
  transform: { define: { __HERMES_VERSION__: JSON.stringify(version) } },
  output: {
    dir: fresh,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    banner:
      "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warn',
})

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
