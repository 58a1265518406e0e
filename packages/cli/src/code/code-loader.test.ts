import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFileRoom } from './file-room.ts'
import { readKept } from './kept-code.ts'

const wrap = (body: string) => `(function(exports,require,module,__filename,__dirname,importOutside){${body}\n})`

/** A bundle in a folder, which a process of its own loads: V8 keeps compiled code within a process by itself. */
async function bundle(files: Readonly<Record<string, string>>) {
  const path = await mkdtemp(join(tmpdir(), 'hermes-code-'))
  const cache = join(path, 'cache', 'code')
  await mkdir(join(path, 'chunks'))
  const write = async (name: string, body: string) => writeFile(join(path, name), wrap(body))
  for (const [name, body] of Object.entries(files)) await write(name, body)
  return {
    path,
    cache,
    write,
    /** Loads `main.cjs`, runs `then` with its exports as `main`, and tells what that prints. */
    run(then: string, ...flags: readonly string[]) {
      const program = `
        import { createCodeLoader } from ${JSON.stringify(import.meta.resolve('./code-loader.ts'))}
        import { createV8Flags } from ${JSON.stringify(import.meta.resolve('./v8-flags.ts'))}
        const flags = createV8Flags()
        const { load, keep } = createCodeLoader({ folder: ${JSON.stringify(path)}, cache: ${JSON.stringify(cache)}, importOutside: (id) => import(id), flags })
        const main = load('main.cjs')
        ${then}`
      const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', program], {
        encoding: 'utf8',
      })
      assert.equal(status, 0, stderr)
      return stdout.trim()
    },
    runs: (name: string) => readKept(join(cache, name), createFileRoom().read)?.runs,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  }
}

test('files load each other once, Node’s modules, and what is no file of the bundle', async () => {
  await using all = await bundle({
    'main.cjs':
      'const {join}=require("node:path");const a=require("./chunks/a.cjs");exports.tell=async()=>[a.n,require("./chunks/a.cjs")===a,join("x","y"),__filename.endsWith("main.cjs"),(await importOutside("node:os")).EOL].join()',
    'chunks/a.cjs': 'globalThis.count=(globalThis.count??0)+1;exports.n=require("./b.cjs").n+globalThis.count',
    'chunks/b.cjs': 'exports.n=1',
  })
  assert.equal(all.run('process.stdout.write(await main.tell())'), '2,true,x/y,true,')
})

test('what a run has compiled is there for the next ones, which add to it a few times', async () => {
  await using all = await bundle({
    'main.cjs': 'exports.add=(a,b)=>{const c=a+b;return c*2};exports.late=()=>require("./chunks/late.cjs").n',
    'chunks/late.cjs': 'exports.n=7',
  })
  const size = async () => (await readFile(join(all.cache, 'main.cjs'))).length
  assert.equal(all.run(''), '')
  const untouched = await size()
  assert.deepEqual([all.runs('main.cjs'), all.runs('late.cjs')], [1, undefined])
  assert.equal(all.run('process.stdout.write(String(main.add(1, 2)))'), '6')
  assert.ok((await size()) > untouched, 'the function that was called is in it')
  assert.equal(all.run('process.stdout.write(String(main.late()))'), '7')
  assert.deepEqual([all.runs('main.cjs'), all.runs('late.cjs')], [3, 1])
  const before = await readFile(join(all.cache, 'main.cjs'))
  assert.equal(all.run('process.stdout.write(String(main.late() + main.add(1, 1)))'), '11')
  assert.deepEqual(await readFile(join(all.cache, 'main.cjs')), before)
  assert.deepEqual([all.runs('main.cjs'), all.runs('late.cjs')], [3, 2])
})

test('code that is damaged, of another source, or of other flags is compiled anew', async () => {
  await using all = await bundle({ 'main.cjs': 'exports.n=()=>1' })
  const tell = 'process.stdout.write(String(main.n()))'
  assert.equal(all.run(tell), '1')
  const kept = join(all.cache, 'main.cjs')
  const bytes = await readFile(kept)
  for (let at = 0; at < bytes.length; at += 290) {
    const damaged = Buffer.from(bytes)
    damaged.fill(0xa5, at, Math.min(at + 40, bytes.length))
    await writeFile(kept, damaged)
    assert.equal(all.run(tell), '1')
    assert.equal(all.runs('main.cjs'), 1)
  }
  assert.equal(all.run(tell), '1')
  assert.equal(all.runs('main.cjs'), 2)
  assert.equal(all.run(tell, '--max-lazy'), '1')
  assert.equal(all.runs('main.cjs'), 1, 'under other flags it is begun anew')
  await writeFile(kept, Buffer.alloc(bytes.length))
  assert.equal(all.run(tell), '1', 'a file whose content never came to the disk')
  await all.write('main.cjs', 'exports.n=()=>2+0')
  assert.equal(all.run(tell), '2')
  assert.equal(all.runs('main.cjs'), 1)
})

test('a file that fails does so each time, and is no half of itself', async () => {
  await using all = await bundle({
    'main.cjs': 'exports.tell=(name)=>{try{return require(name).n}catch(error){return error.message}}',
    'chunks/bad.cjs': 'exports.n=1;require("./missing.cjs")',
    'chunks/worse.cjs': 'exports.n=1;require("hermes-no-such-package")',
  })
  const names = ['bad', 'worse', 'bad', 'worse'].map((name) => `./chunks/${name}.cjs`)
  const told = all.run(`process.stdout.write(${JSON.stringify(names)}.map(main.tell).join('\\n'))`)
  assert.match(told, /^(ENOENT.*missing\.cjs.*\nCannot find module 'hermes-no-such-package'[^]*?main\.cjs\s*){2}$/)
})

test('where nothing can be written, it runs all the same', async () => {
  await using all = await bundle({ 'main.cjs': 'exports.n=1' })
  await writeFile(join(all.path, 'cache'), 'no folder')
  assert.equal(all.run('process.stdout.write(String(main.n))'), '1')
  assert.equal(await readFile(join(all.path, 'cache'), 'utf8'), 'no folder')
})

test('it is kept once: what comes later does not change it', async () => {
  await using all = await bundle({
    'main.cjs': 'exports.late=()=>require("./chunks/late.cjs").n',
    'chunks/late.cjs': 'exports.n=7',
  })
  all.run('keep(); keep(); main.late()')
  assert.deepEqual(await readdir(all.cache), ['main.cjs'])
  assert.equal(all.runs('main.cjs'), 1)
})

test('flags that are set while it runs make no difference to what is kept', async () => {
  await using all = await bundle({
    'main.cjs': 'exports.late=()=>require("./chunks/late.cjs").n',
    'chunks/late.cjs': 'exports.n=7',
  })
  const bounded = 'flags.set([{ name: "--heap-growing-percent", value: 15, usual: 0 }]); main.late()'
  for (const then of [bounded, 'main.late()', bounded]) all.run(then)
  assert.deepEqual([all.runs('main.cjs'), all.runs('late.cjs')], [3, 3])
})
