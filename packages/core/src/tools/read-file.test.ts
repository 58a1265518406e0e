import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { appendFile, mkdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { readFile } from './read-file.ts'
import { testContext } from './test-context.ts'
import { toolSchema } from './tool-schema.ts'
import { visionAnalyze } from './vision-analyze.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

test('lines come numbered, with the facts of the file', async () => {
  await using t = await testContext({ files: { 'a.txt': 'one\ntwo\r\n\nfour\n' } })
  const { json } = await t.run(readFile, { path: 'a.txt' })
  assert.deepEqual(json, {
    content: '     1|one\n     2|two\n     3|\n     4|four',
    total_lines: 4,
    file_size: 15,
    truncated: false,
    is_binary: false,
    is_image: false,
  })
})

test('a page says where to go on, and one behind the end how long the file is', async () => {
  await using t = await testContext({ files: { 'a.txt': lines(10) } })
  const page = (await t.run(readFile, { path: 'a.txt', offset: 3, limit: 2 })).json
  assert.equal(page.content, '     3|line 3\n     4|line 4')
  assert.equal(page.truncated, true)
  assert.equal(page.total_lines, 10)
  assert.match(page.hint, /offset=5/)
  const last = (await t.run(readFile, { path: 'a.txt', offset: 10, limit: 5 })).json
  assert.deepEqual([last.content, last.truncated, last.hint], ['    10|line 10', false, undefined])
  const behind = (await t.run(readFile, { path: 'a.txt', offset: 99 })).json
  assert.deepEqual([behind.content, behind.hint], ['', 'The file has only 10 lines.'])
})

test('limits are kept: 2,000 lines, 2,000 characters a line, 100,000 characters in all', async () => {
  const files = {
    'long.txt': lines(5_000),
    'wide.txt': `${'ä'.repeat(3_000)}\nnext`,
    'both.txt': `${'x'.repeat(1_900)}\n`.repeat(60),
  }
  await using t = await testContext({ files })
  const long = (await t.run(readFile, { path: 'long.txt', limit: 9_999, offset: 0 })).json
  assert.equal(long.content.split('\n').length, 2_000)
  const wide = (await t.run(readFile, { path: 'wide.txt' })).json
  assert.equal(wide.content, `     1|${'ä'.repeat(2_000)}… [cut]\n     2|next`)
  const both = await t.run(readFile, { path: 'both.txt' })
  assert.equal(both.status, 'error')
  assert.match(both.json.error, /offset, limit/)
  assert.deepEqual([both.json.total_lines, both.json.file_size], [60, 60 * 1_901])
  assert.equal((await t.run(readFile, { path: 'both.txt', limit: 20 })).status, 'ok')
})

test('empty files, a byte order mark and bytes that are no UTF-8 are read', async () => {
  const files = { empty: '', marked: '\uFEFFtext\n', latin: Buffer.from('caf\xe9 cr\xe8me\n', 'latin1') }
  await using t = await testContext({ files })
  assert.deepEqual((await t.run(readFile, { path: 'empty' })).json.total_lines, 0)
  assert.equal((await t.run(readFile, { path: 'marked' })).json.content, '     1|text')
  assert.equal((await t.run(readFile, { path: 'latin' })).json.content, '     1|caf\uFFFD cr\uFFFDme')
})

test('what is no text is told, not shown', async () => {
  const files = {
    'a.bin': Buffer.from([1, 2, 0, 4]),
    'b.dat': Buffer.alloc(500, 3),
    'c.png': 'not even an image',
    'd.zip': 'PK',
    'e.log': '\x1b[31mred\x1b[0m\n',
  }
  await using t = await testContext({ files })
  for (const path of ['a.bin', 'b.dat', 'c.png', 'd.zip']) {
    const { json, status } = await t.run(readFile, { path })
    assert.equal(status, 'error', path)
    assert.deepEqual([json.is_binary, json.is_image, json.content], [true, path === 'c.png', undefined], path)
  }
  assert.equal((await t.run(readFile, { path: 'e.log' })).json.content, '     1|\x1b[31mred\x1b[0m')
})

test('whoever reads an image is told of the tool that looks at it, where there is one', async () => {
  const { concurrency, name, toolset } = visionAnalyze
  const handle = { name, toolset, concurrency, schema: toolSchema(visionAnalyze), open: async () => visionAnalyze }
  await using t = await testContext({ files: { 'c.png': 'PNG' }, tools: new Map([[name, handle]]) })
  assert.match((await t.run(readFile, { path: 'c.png' })).json.error, /vision_analyze/)
  await using without = await testContext({ files: { 'c.png': 'PNG' } })
  assert.doesNotMatch((await without.run(readFile, { path: 'c.png' })).json.error, /vision_analyze/)
})

test('a missing file comes with names like it, and a folder with how to list it', async () => {
  await using t = await testContext({ files: { 'src/config.ts': '', 'src/config.test.ts': '', 'src/other.md': '' } })
  const { json } = await t.run(readFile, { path: 'src/Config.js' })
  assert.match(json.error, /File not found/)
  assert.deepEqual(json.similar_files, ['config.ts', 'config.test.ts'].slice(0, 1))
  assert.match((await t.run(readFile, { path: 'src' })).json.error, /folder.*search_files/)
})

test(
  'files that are none and files of the system are refused or read without waiting',
  { timeout: 60_000 },
  async () => {
    await using t = await testContext()
    for (const path of ['/dev/zero', '/dev/random', '/proc/self/environ', '/proc/self/mem']) {
      const { json, status } = await t.run(readFile, { path })
      assert.ok(status === 'error' || status === 'denied', path)
      assert.ok(json.error && json.content === undefined, path)
    }
    if (process.platform === 'linux') {
      const { json } = await t.run(readFile, { path: '/proc/cpuinfo', limit: 2 })
      assert.ok(json.content.includes('processor') && json.total_lines > 2)
    }
  },
)

test('the home keeps its secrets', async () => {
  await using t = await testContext()
  await writeFile(t.context.agent.home.path('.env'), 'KEY=value')
  await symlink(t.context.agent.home.path('.env'), t.path('innocent.txt'))
  for (const path of [t.context.agent.home.path('.env'), 'innocent.txt', '../hermes/.env']) {
    const { status, content } = await t.run(readFile, { path })
    assert.equal(status, 'denied')
    assert.ok(!content.includes('value'))
  }
})

test('secrets are masked where they stand, and no line moves', async () => {
  const files = { 'a.env': 'A=1\nKEY=very-secret-value\nB=2\n' }
  await using t = await testContext({ files, secrets: ['very-secret-value'] })
  assert.equal((await t.run(readFile, { path: 'a.env' })).json.content, '     1|A=1\n     2|KEY=«secret:A»\n     3|B=2')
})

test('a secret at the place where a line is cut does not show its beginning', async () => {
  const files = { 'a.txt': `${'x '.repeat(995)}very-secret-value-of-some-length` }
  await using t = await testContext({ files, secrets: ['very-secret-value-of-some-length'] })
  assert.ok(!(await t.run(readFile, { path: 'a.txt' })).content.includes('very-'))
})

test('the body of a private key is never shown, from whatever line it is read', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 1_024,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const body = privateKey.split('\n').slice(1, -2)
  const files = {
    'plain.pem': `before\n${privateKey}after\n`,
    'in.yaml': `key: |\n${privateKey.replaceAll(/^/gm, '  ')}after: 1\n`,
    'in.py': `KEY = """${privateKey}"""\nprint('after')\n`,
    'far.txt': `${'filler line\n'.repeat(9_000)}${privateKey}after\n`,
  }
  await using t = await testContext({ files, decide: async () => ({ kind: 'approval', choice: 'session' }) })
  for (const path of Object.keys(files)) {
    const first = path === 'far.txt' ? 9_000 : 1
    for (const offset of [0, 1, 2, 5, 10].map((more) => first + more)) {
      const { content, json } = await t.run(readFile, { path, offset })
      for (const line of body) assert.ok(!content.includes(line.trim()), `${path} from ${offset}`)
      assert.match(json.content, /after/, `${path} from ${offset}`)
    }
  }
})

test('code that names the marker of a key is shown', async () => {
  const code = "if (text.includes('-----BEGIN PRIVATE KEY-----')) {\n  return\n}\nthrow new Error('no key')\n"
  await using t = await testContext({ files: { 'a.ts': code } })
  const { json } = await t.run(readFile, { path: 'a.ts' })
  assert.match(json.content, /return\n.*}\n.*throw/)
})

test('an unchanged re-read is answered briefly, a changed file in full', async () => {
  await using t = await testContext({ files: { 'a.txt': 'one\n', 'b.txt': 'other\n' } })
  assert.equal((await t.run(readFile, { path: 'a.txt' })).json.dedup, undefined)
  const again = (await t.run(readFile, { path: 'a.txt' })).json
  assert.deepEqual([again.dedup, again.content.includes('one')], [true, false])
  assert.equal((await t.run(readFile, { path: 'a.txt', limit: 7 })).json.content, '     1|one')
  await appendFile(t.path('a.txt'), 'two\n')
  assert.equal((await t.run(readFile, { path: 'a.txt' })).json.content, '     1|one\n     2|two')
  t.context.session.fileReads.forgetParts()
  assert.equal((await t.run(readFile, { path: 'a.txt' })).json.content, '     1|one\n     2|two')
})

test('a file whose content changed under the same size and time is read anew', async () => {
  await using t = await testContext({ files: { 'a.txt': 'one\n' } })
  const time = new Date(1_700_000_000_000)
  await utimes(t.path('a.txt'), time, time)
  await t.run(readFile, { path: 'a.txt' })
  await writeFile(t.path('new'), 'two\n')
  await utimes(t.path('new'), time, time)
  const { rename } = await import('node:fs/promises')
  await rename(t.path('new'), t.path('a.txt'))
  assert.equal((await t.run(readFile, { path: 'a.txt' })).json.content, '     1|two')
})

test('going round in circles is warned of at the third look and stopped at the fourth', async () => {
  await using t = await testContext({ files: { 'a.txt': 'one\n', 'b.txt': 'b' } })
  const look = () => t.run(readFile, { path: 'a.txt' })
  await look()
  assert.equal((await look()).json._warning, undefined)
  assert.match((await look()).json._warning, /3 times in a row/)
  const fourth = await look()
  assert.equal(fourth.status, 'error')
  assert.match(fourth.json.error, /BLOCKED/)
  await t.run(readFile, { path: 'b.txt' })
  assert.equal((await look()).status, 'ok')
  for (let count = 0; count < 6; count++) {
    t.context.session.fileReads.otherToolRan()
    assert.equal((await look()).status, 'ok')
  }
})

test('a huge sparse file with one endless line is paged without being held', async () => {
  await using t = await testContext({ files: { 'a.txt': lines(500) } })
  await truncate(t.path('a.txt'), 40 * 1024 * 1024)
  const before = process.memoryUsage().arrayBuffers
  const { json } = await t.run(readFile, { path: 'a.txt', limit: 2 })
  assert.equal(json.error ?? json.content, '     1|line 1\n     2|line 2')
  assert.equal(json.total_lines, 500)
  assert.ok(process.memoryUsage().arrayBuffers - before < 8 * 1024 * 1024)
})

test('lines are whole wherever the file is read in pieces', async () => {
  const all = Array.from({ length: 20_000 }, (_, index) => `${index} ${'äöü'.repeat(index % 7)}`)
  await using t = await testContext({ files: { 'a.txt': all.join('\r\n') } })
  for (let offset = 1; offset <= all.length; offset += 2_000) {
    const { json } = await t.run(readFile, { path: 'a.txt', offset, limit: 2_000 })
    assert.deepEqual(
      json.content.split('\n').map((row: string) => row.slice(7)),
      all.slice(offset - 1, offset + 1_999),
    )
  }
})

test('reading stops when the turn is cancelled', async () => {
  const abort = new AbortController()
  await using t = await testContext({ files: { 'a.txt': lines(10) }, signal: abort.signal })
  abort.abort(new Error('stopped'))
  await assert.rejects(t.run(readFile, { path: 'a.txt' }), { message: 'stopped' })
})

test('pages put together are the file, wherever they are cut', async () => {
  await using t = await testContext()
  await mkdir(t.path('p'))
  let number = 0
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', ' ', '\t', '|'), maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 15 }),
      fc.boolean(),
      async (all, limit, ends) => {
        const path = `p/${(number += 1)}.txt`
        await writeFile(t.path(path), all.join('\n') + (ends ? '\n' : ''))
        const expected = ends || all.at(-1) !== '' ? all : all.slice(0, -1)
        const read: string[] = []
        for (let offset = 1; offset <= expected.length; offset += limit) {
          const { json } = await t.run(readFile, { path, offset, limit })
          assert.equal(json.total_lines, expected.length)
          read.push(...json.content.split('\n').map((row: string) => row.slice(7)))
        }
        assert.deepEqual(read, expected)
      },
    ),
    { numRuns: 25 },
  )
})
