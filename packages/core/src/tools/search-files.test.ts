import assert from 'node:assert/strict'
import { link, mkdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { describe, test } from 'node:test'
import { isProgramThere } from './search/find-program.ts'
import { searchFiles } from './search-files.ts'
import { testContext } from './test-context.ts'
import type { TestContext, TestContextOptions } from './test-context.ts'

const files = {
  'a.ts': 'const one = 1\nconst two = 2\nfunction three() {}\n',
  'src/b.ts': 'import { one } from "../a"\n\nexport const four = one + 3\n',
  'src/deep/c.py': 'one = "ONE"\n',
  'src/deep/-dash.txt': 'one dash\n',
  'src/deep/a:3:b.txt': 'one colon\n',
  'src/ünï çöde.txt': 'one 数据库\n',
  '.hidden/d.ts': 'one hidden\n',
  '.dotfile': 'one dotfile\n',
  'node_modules/x/e.js': 'one module\n',
  'bin.dat': Buffer.from('one\0binary\n'),
  'long.txt': `one ${'x'.repeat(5_000)}\n`,
}

/** The folder of one program alone, so that no other is found. */
async function only(program: string, t: TestContext): Promise<void> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  await mkdir(t.path('../bin'))
  for (const folder of folders) {
    if (await isProgramThere(program, folder)) return symlink(join(folder, program), t.path('../bin', program))
  }
}

const withEngine = async (program: string, options: TestContextOptions = {}) => {
  const t = await testContext({ files, ...options })
  await only(program, t)
  Object.assign(t.context.agent, { environment: { ...t.context.agent.environment, PATH: t.path('../bin') } })
  return t
}

for (const program of ['grep', 'rg']) {
  const isThere = await isProgramThere(program, process.env['PATH'])
  describe(`searching with ${program}`, { skip: isThere ? false : `${program} is not on this machine` }, () => {
    test('finds lines below the working directory, not in dot folders, modules and binary files', async () => {
      await using t = await withEngine(program)
      const { json } = await t.run(searchFiles, { pattern: '\\bone\\b' })
      const found = json.matches.map((match: { path: string; line: number }) => `${match.path}:${match.line}`).sort()
      const expected = [
        '.dotfile:1',
        'a.ts:1',
        'long.txt:1',
        'src/b.ts:1',
        'src/b.ts:3',
        'src/deep/-dash.txt:1',
        'src/deep/a:3:b.txt:1',
        'src/deep/c.py:1',
        'src/ünï çöde.txt:1',
      ]
      assert.deepEqual(found, expected.sort())
      assert.equal(json.total_count, expected.length)
      assert.equal(json.truncated, undefined)
      const long = json.matches.find((match: { path: string }) => match.path === 'long.txt')
      assert.equal(long.content.length, 501)
    })

    test('knows the usual expressions, and says what is wrong with a bad one', async () => {
      await using t = await withEngine(program)
      const lines = async (pattern: string) => {
        const { json } = await t.run(searchFiles, { pattern, file_glob: '*.ts' })
        return (json.matches ?? []).map((match: { content: string }) => match.content)
      }
      assert.deepEqual(await lines('const (two|four) = \\w+'), ['const two = 2', 'export const four = one + 3'])
      assert.deepEqual(await lines('^const \\w+ = \\d$'), ['const one = 1', 'const two = 2'])
      assert.deepEqual(await lines('(?i)FUNCTION'), ['function three() {}'])
      assert.deepEqual(await lines('-nothing'), [])
      const { json, status } = await t.run(searchFiles, { pattern: 'three(' })
      assert.equal(status, 'error')
      assert.match(json.error, /not a valid regular expression/)
      assert.match((await t.run(searchFiles, { pattern: '' })).json.error, /empty/)
    })

    test('finds text of any script and shows paths that can be read as they are', async () => {
      await using t = await withEngine(program)
      const { json } = await t.run(searchFiles, { pattern: '数据', path: 'src' })
      assert.deepEqual(json.matches, [{ path: 'src/ünï çöde.txt', line: 1, content: 'one 数据库' }])
      const outside = (await t.run(searchFiles, { pattern: '数据', path: t.path('src'), output_mode: 'files_only' }))
        .json
      assert.deepEqual(outside.files, ['src/ünï çöde.txt'])
    })

    test('gives pages that together are the whole, in the same order every time', async () => {
      await using t = await withEngine(program)
      const all = (await t.run(searchFiles, { pattern: 'one' })).json.matches
      const pages = []
      for (let offset = 0; offset < all.length; offset += 4) {
        const { json } = await t.run(searchFiles, { pattern: 'one', limit: 4, offset })
        pages.push(...json.matches)
        const isLast = offset + 4 >= all.length
        assert.equal(json.truncated, isLast ? undefined : true)
        if (!isLast) assert.match(json._hint, new RegExp(`offset=${offset + 4}`))
      }
      assert.deepEqual(pages, all)
    })

    test('shows lines around a match without counting them', async () => {
      await using t = await withEngine(program)
      const { json } = await t.run(searchFiles, { pattern: 'two', path: 'a.ts', context: 1 })
      assert.deepEqual(json.matches, [
        { path: 'a.ts', line: 1, content: 'const one = 1', is_context: true },
        { path: 'a.ts', line: 2, content: 'const two = 2' },
        { path: 'a.ts', line: 3, content: 'function three() {}', is_context: true },
      ])
      assert.equal(json.total_count, 1)
      const second = (await t.run(searchFiles, { pattern: 'const', path: 'a.ts', context: 1, offset: 1, limit: 1 }))
        .json
      assert.deepEqual(
        second.matches.map((match: { line: number }) => match.line),
        [2, 3],
      )
    })

    test('lists files with matches, and counts them', async () => {
      await using t = await withEngine(program)
      const only = { pattern: 'one', file_glob: '*.{ts,py}' }
      assert.deepEqual((await t.run(searchFiles, { ...only, output_mode: 'files_only' })).json.files.sort(), [
        'a.ts',
        'src/b.ts',
        'src/deep/c.py',
      ])
      const counted = (await t.run(searchFiles, { ...only, output_mode: 'count' })).json
      assert.deepEqual([counted.counts, counted.total_count], [{ 'a.ts': 1, 'src/b.ts': 2, 'src/deep/c.py': 1 }, 4])
    })

    test('finds files by name, the newest first', async () => {
      await using t = await withEngine(program)
      await utimes(t.path('src/b.ts'), 2_000_000_000, 2_000_000_000)
      await utimes(t.path('a.ts'), 1, 1)
      const names = async (pattern: string, more = {}) =>
        (await t.run(searchFiles, { pattern, target: 'files', ...more })).json
      assert.deepEqual((await names('*.ts')).files, ['src/b.ts', 'a.ts'])
      assert.deepEqual((await names('dash')).files, ['src/deep/-dash.txt'])
      assert.deepEqual((await names('src/**/*.py')).files, ['src/deep/c.py'])
      assert.deepEqual((await names('deep/c')).files, ['src/deep/c.py'])
      assert.deepEqual((await names('e.js')).files, [])
      const page = await names('*', { limit: 2, offset: 1 })
      assert.deepEqual([page.files.length, page.total_count, page.truncated], [2, 9, true])
      assert.deepEqual((await t.run(searchFiles, { pattern: '*.py', target: 'find' })).json.files, ['src/deep/c.py'])
    })

    test('finds what is in a dot folder or module when that is searched itself', async () => {
      await using t = await withEngine(program)
      assert.equal((await t.run(searchFiles, { pattern: 'one', path: '.hidden' })).json.total_count, 1)
      assert.equal((await t.run(searchFiles, { pattern: 'one', path: 'node_modules/x' })).json.total_count, 1)
    })

    test('shows nothing of protected files, by whatever name', async () => {
      await using t = await withEngine(program)
      const home = t.context.agent.home
      await mkdir(home.path('mcp-tokens'))
      await writeFile(home.path('auth.json'), 'one secret\n')
      await writeFile(home.path('mcp-tokens/x.json'), 'one secret\n')
      await writeFile(home.path('notes.md'), 'one note\n')
      await link(home.path('auth.json'), t.path('hard'))
      await symlink(home.path('auth.json'), t.path('soft'))
      for (const path of ['.', '..', home.dir]) {
        for (const mode of ['content', 'files_only', 'count']) {
          const { content } = await t.run(searchFiles, { pattern: 'one', path, output_mode: mode, limit: 500 })
          assert.ok(!/secret|hard|soft|auth|tokens/.test(content), `${path} ${mode}`)
        }
      }
      for (const path of ['soft', 'hard', home.path('mcp-tokens')]) {
        assert.equal((await t.run(searchFiles, { pattern: 'one', path })).status, 'denied', path)
      }
      const listed = await t.run(searchFiles, { pattern: '*', target: 'files', path: home.dir })
      assert.deepEqual(listed.json.files, [home.path('notes.md')])
    })

    test('masks secrets, and pieces of private keys', async () => {
      const key = `-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSk\nAbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/ab\n-----END PRIVATE KEY-----\n`
      await using t = await withEngine(program, {
        files: { 'a.txt': 'key=very-secret-value\n', 'b.txt': key },
        secrets: ['very-secret-value'],
      })
      assert.equal((await t.run(searchFiles, { pattern: 'key=' })).json.matches[0].content, 'key=«secret:A»')
      const { content } = await t.run(searchFiles, { pattern: 'MII|AbC' })
      assert.ok(!content.includes('AbCd') && !content.includes('MIIE'))
    })
  })
}

test('a grep without Perl expressions is used with what it knows', async () => {
  await using t = await testContext({ files })
  const script =
    '#!/bin/sh\ncase " $* " in *" -P "*|*" -I "*) echo "grep: unrecognized option" >&2; exit 2;; esac\nexec grep "$@"\n'
  await mkdir(t.path('../bin'))
  await writeFile(t.path('../bin/grep'), script.replace('exec grep', `PATH='${process.env['PATH']}' exec grep`), {
    mode: 0o755,
  })
  Object.assign(t.context.agent, { environment: { PATH: t.path('../bin') } })
  const { json } = await t.run(searchFiles, { pattern: 'two|four', file_glob: '*.ts', output_mode: 'count' })
  assert.deepEqual(json.counts, { 'a.ts': 1, 'src/b.ts': 1 })
  assert.match((await t.run(searchFiles, { pattern: 'a(' })).json.error, /not a valid regular expression/)
})

test('what a search program says of a line is not believed: the file itself is shown', async () => {
  await using t = await testContext({ files: { 'a.txt': 'harmless\n' } })
  const script = `#!/bin/sh\n[ "$(eval echo \\$$#)" = /dev/null ] && exit 1\necho './a.txt:1:of another file'\n`
  await mkdir(t.path('../bin'))
  await writeFile(t.path('../bin/grep'), script, { mode: 0o755 })
  Object.assign(t.context.agent, { environment: { PATH: t.path('../bin') } })
  const { json } = await t.run(searchFiles, { pattern: 'file' })
  assert.deepEqual(json.matches, [{ path: 'a.txt', line: 1, content: 'harmless' }])
})

test('the same search again and again is warned of and then refused', async () => {
  await using t = await testContext({ files: { a: 'x\n' } })
  const look = () => t.run(searchFiles, { pattern: 'x' })
  await look()
  await look()
  assert.match((await look()).json._warning, /3 times/)
  assert.match((await look()).json.error, /BLOCKED/)
  assert.equal((await t.run(searchFiles, { pattern: 'x', offset: 1 })).status, 'ok')
})

test('a path that is not there comes with names like it', async () => {
  await using t = await testContext({ files: { 'source/a': '' } })
  const { json, status } = await t.run(searchFiles, { pattern: 'x', path: 'sourc' })
  assert.deepEqual([status, json.similar_files], ['error', ['source']])
})

test('a machine with neither program says so', async () => {
  await using t = await testContext({ environment: { PATH: '' } })
  assert.match((await t.run(searchFiles, { pattern: 'x' })).json.error, /ripgrep/)
})

test('a search stops when the turn is cancelled', { timeout: 120_000 }, async () => {
  const abort = new AbortController()
  await using t = await testContext({ signal: abort.signal })
  const running = t.run(searchFiles, { pattern: 'no such text here', path: '/usr' })
  setImmediate(() => abort.abort(new Error('stopped')))
  await assert.rejects(running, { message: 'stopped' })
})
