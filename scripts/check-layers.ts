// Holds the direction of dependencies between packages: a package imports only those named for it here.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What each package may import of the others; tests may import `testing` besides. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  'phone-app': ['sdk'],
  core: [],
  testing: ['protocol', 'core'],
  gateway: ['protocol', 'core'],
  server: ['protocol', 'core'],
  cli: ['protocol', 'core', 'gateway', 'server'],
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const problems: string[] = []

for (const name of readdirSync(join(root, 'packages'))) {
  const may = allowed[name]
  if (!may) {
    problems.push(`packages/${name}: not in scripts/check-layers.ts; say there what it may import`)
    continue
  }
  const folder = join(root, 'packages', name, 'src')
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(ts|tsx|mjs)$/.test(entry)) continue
    const file = join(folder, entry)
    // Supports of tests stand beside them: test-gateway.ts, restart.fixture.ts.
    const isTest = /(^|[/])test-[\w-]+\.ts$|\.(test|contract|fixture)\.tsx?$/.test(entry)
    for (const [, imported] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
      const other = imported?.match(/^@hermes\/([\w-]+)/)?.[1]
      if (other && other !== name && !may.includes(other) && !(isTest && other === 'testing')) {
        problems.push(
          `${relative(root, file)} imports ${imported}: ${name} may import ${may.join(', ') || 'no other package'}`,
        )
      }
      if (imported?.startsWith('.') && !join(dirname(file), imported).startsWith(folder)) {
        problems.push(`${relative(root, file)} reaches out of its package: ${imported}`)
      }
    }
  }
}

if (problems.length > 0) {
  process.stdout.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
}
