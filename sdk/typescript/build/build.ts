// Builds the package that is published: `dist` with JavaScript for Node and browsers, types that need neither the schema
// library nor those of Node, and a `package.json` of its own. `npm run build`, then `npm pack ./dist`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { protocolTypes } from './protocol-types.ts'

const sdk = dirname(import.meta.dirname)
const root = resolve(sdk, '../..')
const target = resolve(process.argv[2] ?? join(sdk, 'dist'))

const entries = { index: 'index.ts', mobile: 'mobile/client.ts', pheby: 'pheby/client.ts' }
/** What differs between Node and browsers; the package's `imports` choose. */
const platforms = { 'platform-node': 'platform/node.ts', 'platform-browser': 'platform/browser.ts' }

rmSync(target, { recursive: true, force: true })
await writeCode()
writeTypes()
writePackage()

async function writeCode(): Promise<void> {
  const files = Object.entries({ ...entries, ...platforms })
  await using bundle = await rolldown({
    input: Object.fromEntries(files.map(([name, file]) => [name, join(sdk, 'src', file)])),
    external: ['#platform', /^node:/],
    platform: 'neutral',
    resolve: { conditionNames: ['import', 'default'] },
  })
  await bundle.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
}

function writeTypes(): void {
  const raw = mkdtempSync(join(tmpdir(), 'hermes-sdk-types-'))
  try {
    const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', root, '--outDir', raw]
    execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', join(sdk, 'build', 'tsconfig.json'), ...flags], {
      stdio: 'inherit',
    })
    const place = (from: string, to: string) => {
      const file = join(target, 'types', to)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, withOwnImports(readFileSync(join(raw, from), 'utf8'), to))
    }
    const own = join('sdk', 'typescript', 'src')
    for (const file of readdirSync(join(raw, own), { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.d.ts')) place(join(own, file), file)
    }
    for (const protocol of ['mobile', 'pheby']) {
      const file = join(protocol, 'constants.d.ts')
      place(join('packages', 'protocol', 'src', file), join('protocol', file))
    }
    for (const [file, text] of Object.entries(protocolTypes())) {
      writeFileSync(join(target, 'types', 'protocol', `${file}.d.ts`), text)
    }
  } finally {
    rmSync(raw, { recursive: true })
  }
}

/** What is imported from the protocol's package is beside them. */
function withOwnImports(text: string, file: string): string {
  const protocol = relative(dirname(file), 'protocol').split(sep).join('/')
  const toProtocol = protocol.startsWith('.') ? protocol : `./${protocol}`
  return text
    .replaceAll(/@hermes\/protocol\/([\w/-]+)\.ts(?=['"])/g, `${toProtocol}/$1.js`)
    .replaceAll(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js')
}

function writePackage(): void {
  const { name, version, description, license } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const entry = (file: string, types: string) => ({ types: `./types/${types}.d.ts`, default: `./${file}.js` })
  const made = {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=22' },
    imports: { '#platform': { browser: './platform-browser.js', default: './platform-node.js' } },
    exports: {
      '.': entry('index', 'index'),
      './mobile': entry('mobile', 'mobile/client'),
      './pheby': entry('pheby', 'pheby/client'),
    },
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(made, null, 2)}\n`)
  copyFileSync(join(sdk, 'README.md'), join(target, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
}
