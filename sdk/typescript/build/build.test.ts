import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { startScriptedServer } from '../src/scripted-server.fixture.ts'

const root = resolve(import.meta.dirname, '../../..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

const run = promisify(execFile)

const usage = `
import { HermesMobileClient, PhebyClient } from '@hermes/sdk'
import type { MediaMessage, PhebyReply } from '@hermes/sdk'
import { dataUrl } from '@hermes/sdk/mobile'
import type { PhebyEvents } from '@hermes/sdk/pheby'

export async function use(url: string): Promise<string> {
  const client = new HermesMobileClient(url, 'token', { id: 'd' }, { acknowledge: false })
  client.on('media', (file: MediaMessage) => dataUrl(file))
  // @ts-expect-error There is no such event.
  client.on('nothing', () => {})
  const { capabilities } = await client.connect()
  const most: number | undefined = capabilities.max_text_chars
  await client.sendText('hi', 'm1')
  const [piece = ''] = await client.waitMessage(5_000)
  await client.close()
  return \`\${piece} \${most}\`
}

export async function ask(pheby: PhebyClient): Promise<PhebyReply<'chat.send'>> {
  pheby.on('run.finished', ({ status }: PhebyEvents['run.finished']) => {
    const known: 'completed' | 'cancelled' | 'failed' = status
    return known
  })
  // @ts-expect-error A conversation has an id that is text.
  await pheby.send(1, 'x')
  return pheby.send('c', 'x')
}
`

test(
  'the packed package is used by a fresh project: types, Node, a bundle for browsers',
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hermes-sdk-project-'))
    try {
      const dist = join(folder, 'dist')
      await run(process.execPath, ['--conditions=development', join(import.meta.dirname, 'build.ts'), dist])
      const packed = await run('npm', ['pack', '--json', '--pack-destination', folder, dist])
      const [made] = JSON.parse(packed.stdout) as { filename: string; files: { path: string }[] }[]
      assert.ok(made)
      const { filename, files } = made
      assert.ok(files.every(({ path }) => /^(package\.json|README\.md|LICENSE|[\w/-]+\.(js|d\.ts))$/.test(path)))
      const project = join(folder, 'project')
      await mkdir(project)
      const config = {
        compilerOptions: {
          strict: true,
          target: 'esnext',
          module: 'nodenext',
          lib: ['esnext', 'dom'],
          types: [],
          noEmit: true,
          skipLibCheck: false,
        },
        files: ['use.ts'],
      }
      const write = (name: string, text: string) => writeFile(join(project, name), text)
      await write('package.json', '{"type": "module"}')
      await write('tsconfig.json', JSON.stringify(config))
      await write('use.ts', usage)
      const flags = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts']
      await run('npm', ['install', ...flags, join(folder, filename)], { cwd: project })
      const lock = await readFile(join(project, 'package-lock.json'), 'utf8')
      assert.deepEqual(Object.keys((JSON.parse(lock) as { packages: object }).packages), [
        '',
        'node_modules/@hermes/sdk',
      ])

      await run(bin('tsc'), ['-p', project])

      await using server = await startScriptedServer((frame, peer) => {
        if (frame['t'] === 'hello') peer.send({ t: 'ready', v: 1, session: 's', capabilities: { max_text_chars: 9 } })
        if (frame['t'] === 'text') peer.send({ t: 'message', id: 'a', text: 'Hello', index: 0, total: 1, final: true })
      })
      await write('run.ts', `import { use } from './use.ts'\nprocess.stdout.write(await use('${server.url}'))\n`)
      const { stdout } = await run(process.execPath, ['run.ts'], { cwd: project })
      assert.equal(stdout, 'Hello 9')

      await using bundle = await rolldown({ input: join(project, 'use.ts'), cwd: project, platform: 'browser' })
      const { output } = await bundle.generate({ format: 'esm' })
      const code = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('\n')
      assert.match(code, /createObjectURL/)
      assert.doesNotMatch(code, /node:|require\(|ZodObject/)
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
