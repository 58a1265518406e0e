import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { unpack, withoutTopFolder } from './archive.ts'
import { checkedBundle } from './bundle.ts'

/** Archives as Python makes them: an implementation that is not ours. */
const python = `
import io, json, sys, tarfile, zipfile
kind, out = sys.argv[1], sys.argv[2]
files = json.load(sys.stdin)
if kind == "tar":
    t = tarfile.open(out, "w:gz", format={"gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT, "ustar": tarfile.USTAR_FORMAT}[sys.argv[3]])
    for name, text in files.items():
        i = tarfile.TarInfo(name)
        if text.startswith("LINK:"):
            i.type = tarfile.SYMTYPE; i.linkname = text[5:]; t.addfile(i); continue
        b = text.encode(); i.size = len(b); t.addfile(i, io.BytesIO(b))
    t.close()
else:
    z = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if sys.argv[3] == "deflated" else zipfile.ZIP_STORED)
    for name, text in files.items():
        i = zipfile.ZipInfo(name); i.compress_type = z.compression
        if text.startswith("LINK:"):
            i.create_system = 3; i.external_attr = 0o120777 << 16; text = text[5:]
        z.writestr(i, text)
    z.close()
`

async function archive(kind: 'tar' | 'zip', form: string, files: Readonly<Record<string, string>>): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'hermes-archive-'))
  try {
    await writeFile(join(dir, 'make.py'), python)
    const result = spawnSync('python3', [join(dir, 'make.py'), kind, join(dir, 'out'), form], {
      input: JSON.stringify(files),
      encoding: 'utf8',
    })
    assert.equal(result.status, 0, result.stderr)
    return await readFile(join(dir, 'out'))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

const hasPython = spawnSync('python3', ['--version']).status === 0
const skip = hasPython ? false : 'there is no python3 to make archives with'
const deep = `references/${'folder-with-a-long-name/'.repeat(5)}file.md`
const files = {
  'SKILL.md': '# Ünï\n',
  'scripts/run.sh': 'echo 1\n',
  'references/grün.md': 'x'.repeat(5_000),
  'empty.txt': '',
}

test('archives of every usual form come apart into their files', { skip }, async () => {
  for (const [kind, form] of [
    ['tar', 'gnu'],
    ['tar', 'pax'],
    ['tar', 'ustar'],
    ['zip', 'deflated'],
    ['zip', 'stored'],
  ] as const) {
    const all = form === 'ustar' ? { ...files } : { ...files, [deep]: 'deep' }
    const found = unpack(await archive(kind, form, all))
    const texts = Object.fromEntries([...found].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]))
    assert.deepEqual(texts, all, `${kind} ${form}`)
  }
})

test('archives with links, or with more than a skill may hold, are refused', { skip }, async () => {
  for (const kind of ['tar', 'zip'] as const) {
    const form = kind === 'tar' ? 'gnu' : 'deflated'
    const link = await archive(kind, form, { 'SKILL.md': 'x', p: 'LINK:/etc/passwd' })
    assert.throws(() => unpack(link), { code: 'invalid' })
    const bomb = await archive(kind, form, { 'SKILL.md': 'a'.repeat(12_000_000) })
    assert.ok(bomb.length < 100_000)
    assert.throws(
      () => unpack(bomb),
      (error: Error & { code?: string }) => error.code === 'invalid' || error.code === 'too-large',
    )
    const many = await archive(kind, form, Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, 'x'])))
    assert.throws(() => unpack(many), { code: 'too-large' })
  }
  const climbing = unpack(await archive('zip', 'stored', { 'SKILL.md': 'x', '../../evil': 'x' }))
  const bundle = { name: 'a', identifier: 'a', source: 's', trust: 'community' as const, files: climbing, metadata: {} }
  assert.throws(() => checkedBundle(bundle), { code: 'invalid' })
})

test('bytes that are no archive end in an error that says so', () => {
  const refuses = (bytes: Uint8Array): void => {
    try {
      unpack(bytes)
    } catch (error) {
      assert.ok(error instanceof Error && error.name === 'HubError', String(error))
    }
  }
  fc.assert(fc.property(fc.uint8Array(), refuses))
  fc.assert(fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => refuses(gzipSync(bytes))))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
      refuses(Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), bytes])),
    ),
  )
})

test('a folder around everything is taken off', () => {
  const one = new Uint8Array([1])
  assert.deepEqual(
    [
      ...withoutTopFolder(
        new Map([
          ['a/SKILL.md', one],
          ['a/b', one],
        ]),
      ).keys(),
    ],
    ['SKILL.md', 'b'],
  )
  assert.deepEqual(
    [
      ...withoutTopFolder(
        new Map([
          ['a/SKILL.md', one],
          ['c', one],
        ]),
      ).keys(),
    ],
    ['a/SKILL.md', 'c'],
  )
  assert.deepEqual([...withoutTopFolder(new Map()).keys()], [])
})
