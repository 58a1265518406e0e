// Runs the whole suite, or the files and folders named: `npm test -- packages/core/src/agent/run-turn.test.ts e2e`.
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const named = process.argv
  .slice(2)
  .map((path) => (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, '**', '*.test.ts') : path))
const files =
  named.length > 0
    ? named
    : [
        'packages/*/src/**/*.test.ts',
        'sdk/typescript/{src,build}/**/*.test.ts',
        'e2e/**/*.test.ts',
        'bench/**/*.test.ts',
      ]

const child = spawn(
  process.execPath,
  [
    '--conditions=development',
    '--import=./scripts/property-seed.mjs',
    '--test',
    // Many tests wait for processes and servers of theirs, so that one more than there are cores keeps the cores busy.
    `--test-concurrency=${availableParallelism() + 1}`,
    '--test-timeout=180000',
    '--test-reporter=./scripts/reporter.mjs',
    ...files,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
      NODE_NO_WARNINGS: '1',
      // Hundreds of files load the same modules: their types are taken off and they are compiled once.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'tests'),
      ...(named.length > 0 && { HERMES_TEST_FIGURES: '1' }),
    },
  },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
