import assert from 'node:assert/strict'
import { appendFile, chmod, link, mkdir, readFile, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileRules } from '../security/file-safety.ts'
import { changeFiles } from './change-files.ts'
import { parsePatch } from './patch/parse-patch.ts'
import { planPatch } from './patch/plan-patch.ts'
import { planReplacement } from './patch/replace-text.ts'
import { patch } from './patch.ts'
import { readFile as readTool } from './read-file.ts'
import { testContext } from './test-context.ts'
import type { TestContext } from './test-context.ts'

const text = (t: TestContext, path: string) => readFile(t.path(path), 'utf8')

test('replace puts one text for another and shows a diff', async () => {
  await using t = await testContext({ files: { 'a.txt': 'one\ntwo\nthree\n' } })
  const { json, status } = await t.run(patch, { path: 'a.txt', old_string: 'two', new_string: 'TWO' })
  assert.deepEqual(json, {
    success: true,
    diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n',
    files_modified: ['a.txt'],
  })
  assert.equal(status, 'ok')
  assert.equal(await text(t, 'a.txt'), 'one\nTWO\nthree\n')
})

test('a text that stands twice is refused, unless all are meant', async () => {
  await using t = await testContext({ files: { 'a.txt': 'x\ny\nx\n' } })
  const { json } = await t.run(patch, { path: 'a.txt', old_string: 'x', new_string: 'z' })
  assert.equal(json.success, false)
  assert.match(json.error, /found 2 times.*lines 1, 3/)
  assert.equal(await text(t, 'a.txt'), 'x\ny\nx\n')
  await t.run(patch, { path: 'a.txt', old_string: 'x', new_string: 'z', replace_all: true })
  assert.equal(await text(t, 'a.txt'), 'z\ny\nz\n')
})

test('a wrong call says what to correct, and changes nothing', async () => {
  await using t = await testContext({ files: { 'a.txt': 'let counter = 1\n', 'b.bin': Buffer.from([0, 1, 2]) } })
  await mkdir(t.path('folder'))
  const calls: [Record<string, unknown>, RegExp][] = [
    [{ path: 'a.txt', old_string: '', new_string: 'x' }, /old_string is needed.*write_file/],
    [{ path: 'a.txt', old_string: 'x', new_string: 'x' }, /the same/],
    [{ path: 'a.txt', old_string: 'x' }, /new_string is needed/],
    [{ old_string: 'x', new_string: 'y' }, /path is needed/],
    [{ path: 'missing.txt', old_string: 'x', new_string: 'y' }, /not found/],
    [{ path: 'folder', old_string: 'x', new_string: 'y' }, /folder/],
    [{ path: 'b.bin', old_string: 'x', new_string: 'y' }, /binary/],
    [{ mode: 'patch' }, /patch is needed/],
    [{ mode: 'patch', patch: 'nothing' }, /no operation/],
    [{ path: '/etc/hosts', old_string: 'localhost', new_string: 'y' }, /protected/],
  ]
  for (const [args, message] of calls) {
    const { json, status } = await t.run(patch, args)
    assert.ok(status === 'error' || status === 'denied')
    assert.match(json.error, message)
  }
  const { json } = await t.run(patch, { path: 'a.txt', old_string: 'let count = 1', new_string: 'y' })
  assert.match(json._hint, /line 1:\nlet counter = 1/)
  assert.deepEqual((await t.run(patch, { path: 'A.txt', old_string: 'x', new_string: 'y' })).json.similar_files, [
    'a.txt',
  ])
  assert.equal(await text(t, 'a.txt'), 'let counter = 1\n')
})

test('line ends, byte order mark, last line end, mode and odd bytes stay as they are', async () => {
  const odd = Buffer.concat([Buffer.from([0xe9, 0xff, 0x0a]), Buffer.from('edit me\n')])
  const files = { 'crlf.txt': '\uFEFFa\r\nb\r\nc', 'mixed.txt': 'a\r\nb\nc\r\n', 'odd.txt': odd }
  await using t = await testContext({ files })
  await chmod(t.path('crlf.txt'), 0o640)
  await t.run(patch, { path: 'crlf.txt', old_string: 'b\nc', new_string: 'B\nB2\nC' })
  assert.equal(await text(t, 'crlf.txt'), '\uFEFFa\r\nB\r\nB2\r\nC')
  assert.equal((await stat(t.path('crlf.txt'))).mode & 0o777, 0o640)
  await t.run(patch, { path: 'mixed.txt', old_string: 'b\n', new_string: 'B\n' })
  assert.equal(await text(t, 'mixed.txt'), 'a\r\nB\r\nc\r\n')
  await t.run(patch, { path: 'odd.txt', old_string: 'edit me', new_string: 'edité' })
  assert.deepEqual(await readFile(t.path('odd.txt')), Buffer.concat([odd.subarray(0, 3), Buffer.from('edité\n')]))
})

test('an approximate place is told, so that the model looks at it', async () => {
  const body =
    'function total(items) {\n  let sum = 0\n  for (const item of items) sum += item.price\n  return sum\n}\n'
  await using t = await testContext({ files: { 'a.txt': body } })
  const near = body.replace('item.price', 'item.prize')
  const { json } = await t.run(patch, { path: 'a.txt', old_string: near, new_string: 'gone\n' })
  assert.match(json._warning, /not stand there exactly/)
  assert.equal(await text(t, 'a.txt'), 'gone\n')
})

test('a patch changes several files at once', async () => {
  await using t = await testContext({
    files: { 'a.txt': 'one\ntwo\n', 'gone.txt': 'x', 'old.bin': Buffer.from([0, 1]), 'c.txt': 'c\n' },
  })
  const { json } = await t.run(patch, {
    mode: 'patch',
    patch: `*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+TWO
*** Add File: new/b.txt
+hello
*** Delete File: gone.txt
*** Move File: old.bin -> new/old.bin
*** Update File: c.txt
*** Move to: d.txt
-c
+d
*** End Patch`,
  })
  assert.equal(json.success, true, json.error)
  assert.deepEqual(json.files_modified, ['a.txt'])
  assert.deepEqual(json.files_created.sort(), ['d.txt', 'new/b.txt', 'new/old.bin'])
  assert.deepEqual(json.files_deleted.sort(), ['c.txt', 'gone.txt', 'old.bin'])
  assert.match(json.diff, /\+\+\+ b\/a\.txt\n@@ -1,2 \+1,2 @@\n one\n-two\n\+TWO\n/)
  assert.deepEqual((await readdir(t.dir, { recursive: true })).sort(), [
    'a.txt',
    'd.txt',
    'new',
    'new/b.txt',
    'new/old.bin',
  ])
  assert.equal(await text(t, 'a.txt'), 'one\nTWO\n')
  assert.equal(await text(t, 'd.txt'), 'd\n')
  assert.deepEqual(await readFile(t.path('new/old.bin')), Buffer.from([0, 1]))
})

test('a patch of which one part does not fit changes nothing', async () => {
  const files = { 'a.txt': 'one\n', 'b.txt': 'two\n' }
  const good = '*** Update File: a.txt\n-one\n+ONE\n*** Add File: n/new.txt\n+x\n*** Delete File: b.txt\n'
  const bad = [
    '*** Update File: a.txt\n-three\n+four',
    '*** Update File: missing.txt\n-x\n+y',
    '*** Add File: a.txt\n+x',
    '*** Delete File: missing.txt',
    '*** Delete File: b.txt',
    '*** Move File: missing -> x',
    '*** Move File: a.txt -> n/new.txt',
    '*** Update File: b.txt\n-two\n+x',
    '*** Add File: /etc/hermes\n+x',
    '*** Update File: ~/.ssh/config\n-x\n+y',
  ]
  await using t = await testContext({ files })
  for (const part of bad) {
    const { json, status } = await t.run(patch, { mode: 'patch', patch: good + part })
    assert.ok(json.error && status !== 'ok', part)
    assert.deepEqual((await readdir(t.dir)).sort(), ['a.txt', 'b.txt'], part)
    for (const [name, content] of Object.entries(files)) assert.equal(await text(t, name), content, part)
  }
})

test('the parts of a patch build on each other', async () => {
  await using t = await testContext({ files: { 'a.txt': 'one\n', 'b.txt': 'B\n' } })
  const run = (body: string) => t.run(patch, { mode: 'patch', patch: body })
  await run('*** Update File: a.txt\n-one\n+two\n*** Update File: ./a.txt\n-two\n+three\n+four')
  assert.equal(await text(t, 'a.txt'), 'three\nfour\n')
  await run('*** Delete File: a.txt\n*** Add File: a.txt\n+fresh')
  assert.equal(await text(t, 'a.txt'), 'fresh\n')
  await run('*** Move File: a.txt -> t\n*** Move File: b.txt -> a.txt\n*** Move File: t -> b.txt')
  assert.deepEqual([await text(t, 'a.txt'), await text(t, 'b.txt')], ['B\n', 'fresh\n'])
  await run('*** Move File: a.txt -> c.txt\n*** Add File: a.txt\n+new')
  assert.deepEqual([await text(t, 'a.txt'), await text(t, 'c.txt')], ['new\n', 'B\n'])
  assert.deepEqual((await readdir(t.dir)).sort(), ['a.txt', 'b.txt', 'c.txt'])
})

test('a file that changes while an edit is worked out is not written over', async () => {
  await using t = await testContext({ files: { 'a.txt': 'one\n' } })
  const { redactor } = t.context.agent
  const replacement = { path: 'a.txt', oldText: 'one', newText: 'two', all: false }
  const plans = [
    await planReplacement(replacement, fileRules(t.context), redactor),
    await planPatch(parsePatch('*** Update File: a.txt\n-one\n+two'), fileRules(t.context), redactor),
  ]
  await appendFile(t.path('a.txt'), 'theirs\n')
  for (const { changes } of plans) await assert.rejects(changeFiles(changes, t.context.signal), { code: 'changed' })
  assert.equal(await text(t, 'a.txt'), 'one\ntheirs\n')
})

test('a moved file keeps its mode', async () => {
  await using t = await testContext({ files: { 'run.txt': 'a\n' } })
  await chmod(t.path('run.txt'), 0o755)
  await t.run(patch, { mode: 'patch', patch: '*** Update File: run.txt\n*** Move to: go.txt\n-a\n+b' })
  assert.equal((await stat(t.path('go.txt'))).mode & 0o777, 0o755)
})

test('protected files are neither changed, moved nor deleted, by whatever name', async () => {
  await using t = await testContext({ files: { 'a.txt': 'a\n' } })
  const env = t.context.agent.home.path('.env')
  await writeFile(env, 'KEY=1\n')
  await symlink(env, t.path('link'))
  await link(env, t.path('hard'))
  for (const path of [env, 'link', 'hard']) {
    const { status } = await t.run(patch, { path, old_string: 'KEY=1', new_string: 'KEY=2' })
    assert.equal(status, 'denied', path)
  }
  for (const body of [
    `*** Delete File: ${env}`,
    `*** Move File: ${env} -> x`,
    `*** Move File: a.txt -> ${env}.new`,
    '*** Delete File: hard',
  ]) {
    assert.equal((await t.run(patch, { mode: 'patch', patch: body })).status, 'denied', body)
  }
  assert.equal(await readFile(env, 'utf8'), 'KEY=1\n')
})

test('a secret that was only seen masked is put back where its mask is written', async () => {
  const files = { 'a.conf': 'name=x\nkey=very-secret-value\nport=1\n' }
  await using t = await testContext({ files, secrets: ['very-secret-value'] })
  const seen = (await t.run(readTool, { path: 'a.conf' })).json.content as string
  assert.ok(!seen.includes('very-secret-value') && seen.includes('«secret:A»'))
  const { content } = await t.run(patch, {
    path: 'a.conf',
    old_string: 'key=«secret:A»\nport=1',
    new_string: 'key=«secret:A»\nport=2',
  })
  assert.ok(!content.includes('very-secret-value'))
  assert.equal(await text(t, 'a.conf'), 'name=x\nkey=very-secret-value\nport=2\n')
  await t.run(patch, {
    mode: 'patch',
    patch: '*** Update File: a.conf\n key=«secret:A»\n-port=2\n+port=3\n+again="«secret:A»"',
  })
  assert.equal(await text(t, 'a.conf'), 'name=x\nkey=very-secret-value\nport=3\nagain="very-secret-value"\n')
})

test('a syntax check tells what an edit broke, and never fails the edit', async () => {
  const files = {
    'a.js': 'const a = 1\n',
    'a.json': '{"a": 1}',
    'a.ts': 'enum A { B }\n',
    'a.sh': 'echo hi\n',
    'a.txt': 'a',
  }
  await using t = await testContext({ files })
  const edit = async (path: string, old_string: string, new_string: string) =>
    (await t.run(patch, { path, old_string, new_string })).json
  assert.deepEqual((await edit('a.js', '1', '2')).lint, { status: 'ok' })
  const broken = await edit('a.js', '2', '(')
  assert.equal(broken.success, true)
  assert.equal(broken.lint.status, 'error')
  assert.match(broken.lint.output, /SyntaxError/)
  assert.equal((await edit('a.json', '1', '1,')).lint.status, 'error')
  assert.deepEqual((await edit('a.ts', 'B', 'C')).lint, { status: 'ok' })
  assert.equal((await edit('a.ts', '}', '')).lint.status, 'error')
  assert.equal((await edit('a.sh', 'hi', '$(')).lint.status, 'error')
  assert.equal((await edit('a.txt', 'a', 'b')).lint, undefined)
  const both = (await t.run(patch, { mode: 'patch', patch: '*** Add File: n.js\n+x\n*** Add File: m.json\n+{' })).json
  assert.deepEqual([both.lint[t.path('n.js')].status, both.lint[t.path('m.json')].status], ['ok', 'error'])
})

test('a checker that this machine does not have is not missed', async () => {
  await using t = await testContext({ files: { 'a.py': 'a\n', 'a.rs': 'a\n' }, environment: { PATH: '/nowhere' } })
  for (const path of ['a.py', 'a.rs']) {
    const { json } = await t.run(patch, { path, old_string: 'a', new_string: 'b' })
    assert.deepEqual([json.success, json.lint], [true, undefined])
  }
})

test('a file larger than can be held is refused', async () => {
  await using t = await testContext({ files: { 'a.txt': 'a\n' } })
  const { truncate } = await import('node:fs/promises')
  await truncate(t.path('a.txt'), 17 * 1024 * 1024)
  await utimes(t.path('a.txt'), 1, 1)
  assert.match((await t.run(patch, { path: 'a.txt', old_string: 'a', new_string: 'b' })).json.error, /at most/)
})
