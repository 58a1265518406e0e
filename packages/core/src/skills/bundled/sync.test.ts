import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { skillTestContext } from '../skill-test-context.ts'
import { bundledHash } from '../store/folder-hash.ts'
import { readManifest, writeManifest } from '../store/manifest.ts'
import { provenanceOf } from '../store/provenance.ts'
import { findSkill } from '../find-skill.ts'
import { bundledSkillsFolder } from './bundled-folder.ts'
import { syncBundledSkills } from './sync.ts'

const text = (name: string, body: string) => `---\nname: ${name}\ndescription: d\n---\n\n${body}\n`
const signal = new AbortController().signal

async function setUp(files: Readonly<Record<string, string>> = {}) {
  const context = await skillTestContext({
    files: {
      'bundle/data/DESCRIPTION.md': '---\ndescription: Data\n---\n',
      'bundle/data/csv/SKILL.md': text('csv', 'One'),
      'bundle/data/csv/scripts/run.sh': '#!/bin/sh\necho hi\n',
      'bundle/solo/SKILL.md': text('solo', 'One'),
      ...files,
    },
  })
  const environment = { HERMES_BUNDLED_SKILLS: context.path('bundle') }
  const sync = (force = false) => syncBundledSkills({ home: context.scope.home, environment, signal, force })
  return Object.assign(context, { sync })
}

test('new skills are copied, with what belongs to them, and are known as bundled', async () => {
  await using place = await setUp()
  await chmod(place.path('bundle/data/csv/scripts/run.sh'), 0o755)
  const report = await place.sync()
  assert.deepEqual(report.copied, ['csv', 'solo'])
  assert.ok((await stat(place.path('skills/data/csv/scripts/run.sh'))).mode & 0o100)
  assert.ok(existsSync(place.path('skills/data/DESCRIPTION.md')))
  const manifest = await place.read('skills/.bundled_manifest')
  assert.match(manifest, /^csv:[0-9a-f]{32}\nsolo:[0-9a-f]{32}\n$/)
  assert.deepEqual(await provenanceOf(place.scope.home, await findSkill(place.scope, 'csv')), {
    origin: 'bundled',
    trust: 'builtin',
    isModified: false,
  })
  assert.deepEqual(await readdir(place.path('skills/.hub/staging')), [])
})

test('the hash is the one that upstream writes', async () => {
  await using place = await setUp({ 'bundle/solo/a-b/x': '1', 'bundle/solo/a/y': '2', 'bundle/solo/é.md': 'ü' })
  const python = `
import hashlib, pathlib, sys
root = pathlib.Path(sys.argv[1]); h = hashlib.md5()
for f in sorted(p for p in root.rglob("*") if p.is_file()):
    h.update(str(f.relative_to(root)).encode()); h.update(f.read_bytes())
print(h.hexdigest())`
  const result = spawnSync('python3', ['-c', python, place.path('bundle/solo')], { encoding: 'utf8' })
  if (result.error) return
  assert.equal(await bundledHash(place.path('bundle/solo')), result.stdout.trim())
})

test('nothing is looked at when nothing has changed', async () => {
  await using place = await setUp()
  await place.sync()
  assert.equal((await place.sync()).wasInSync, true)
  await writeFile(place.path('skills/solo/SKILL.md'), text('solo', 'Mine'))
  assert.equal((await place.sync()).wasInSync, true, "a user's change is no reason to sync")
  await writeFile(place.path('bundle/solo/SKILL.md'), text('solo', 'Two!'))
  assert.equal((await place.sync()).wasInSync, false)
})

test('what nobody changed is updated; what its user changed, moved or removed stays', async () => {
  await using place = await setUp({
    'bundle/gone/SKILL.md': text('gone', 'One'),
    'bundle/moved/SKILL.md': text('moved', 'One'),
  })
  await place.sync()
  await writeFile(place.path('skills/data/csv/SKILL.md'), text('csv', 'Mine'))
  await rm(place.path('skills/gone'), { recursive: true })
  await mkdir(place.path('skills/own'))
  await rename(place.path('skills/moved'), place.path('skills/own/moved'))
  for (const name of ['data/csv', 'solo', 'gone', 'moved']) {
    await writeFile(place.path('bundle', name, 'SKILL.md'), text(name.replace('data/', ''), 'Two'))
  }
  await rm(place.path('bundle/solo/extra'), { force: true })
  const report = await place.sync()
  assert.deepEqual([report.updated, report.kept, report.removedByUser], [['moved', 'solo'], ['csv'], ['gone']])
  assert.match(await place.read('skills/data/csv/SKILL.md'), /Mine/)
  assert.match(await place.read('skills/solo/SKILL.md'), /Two/)
  assert.match(await place.read('skills/own/moved/SKILL.md'), /Two/)
  assert.ok(!existsSync(place.path('skills/gone')) && !existsSync(place.path('skills/moved')))
  assert.deepEqual((await place.sync(true)).kept, ['csv'], 'again and again')
  const csv = await provenanceOf(place.scope.home, await findSkill(place.scope, 'csv'))
  assert.deepEqual([csv.trust, csv.isModified], ['user', true])
})

test("a skill of its user's own with a bundled name is never overwritten", async () => {
  await using place = await setUp({ 'skills/mine/csv/SKILL.md': text('csv', 'Own') })
  assert.deepEqual((await place.sync()).kept, ['csv'])
  await writeFile(place.path('bundle/data/csv/SKILL.md'), text('csv', 'Two'))
  assert.deepEqual((await place.sync()).kept, ['csv'])
  assert.match(await place.read('skills/mine/csv/SKILL.md'), /Own/)
  assert.ok(!existsSync(place.path('skills/data/csv')))
})

test('skills that left the bundle are forgotten, but stay; old manifests are taken over', async () => {
  await using place = await setUp({
    'skills/.bundled_manifest': 'csv\nsolo\nold\n',
    'skills/data/csv/SKILL.md': text('csv', 'Changed'),
    'skills/old/SKILL.md': text('old', 'x'),
  })
  const report = await place.sync()
  assert.deepEqual([report.kept, report.removedByUser, report.dropped], [['csv'], ['solo'], ['old']])
  assert.ok(existsSync(place.path('skills/old/SKILL.md')))
  assert.deepEqual([...(await readManifest(place.scope.home)).keys()], ['csv', 'solo'])
})

test('an interrupted swap is taken back, and leftovers are cleared', async () => {
  await using place = await setUp()
  await place.sync()
  await mkdir(place.path('skills/.hub/staging/old-1'), { recursive: true })
  await writeFile(place.path('skills/.hub/staging/old-1/place'), 'solo')
  await rename(place.path('skills/solo'), place.path('skills/.hub/staging/old-1/old'))
  await mkdir(place.path('skills/.hub/staging/new-2'), { recursive: true })
  const report = await place.sync(true)
  assert.deepEqual(report.unchanged, ['csv', 'solo'])
  assert.match(await place.read('skills/solo/SKILL.md'), /One/)
  assert.deepEqual(await readdir(place.path('skills/.hub/staging')), [])
})

test('two syncs at once do the work once', async () => {
  await using place = await setUp()
  const reports = await Promise.all([place.sync(), place.sync(), place.sync()])
  assert.deepEqual(reports.flatMap(({ copied }) => copied).sort(), ['csv', 'solo'])
})

test('a manifest reads back as it was written', async () => {
  await using place = await setUp()
  const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/)
  const md5 = fc.stringMatching(/^[0-9a-f]{32}$/)
  await mkdir(join(place.dir, 'skills'), { recursive: true })
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, md5), async (entries) => {
      const manifest = new Map(Object.entries(entries))
      await writeManifest(place.scope.home, manifest)
      assert.deepEqual(new Map(await readManifest(place.scope.home)), manifest)
      const names = (await readManifest(place.scope.home)).keys()
      assert.deepEqual([...names], [...manifest.keys()].sort())
    }),
    { numRuns: 20 },
  )
})

test('the bundle is found from the sources', () => {
  assert.match(bundledSkillsFolder({}) ?? '', /skills$/)
  assert.equal(bundledSkillsFolder({ HERMES_BUNDLED_SKILLS: '/x' }), '/x')
})
