import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, readdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { patch } from '../tools/patch.ts'
import { readFile as readFileTool } from '../tools/read-file.ts'
import { searchFiles } from '../tools/search-files.ts'
import { testContext } from '../tools/test-context.ts'
import type { TestContext } from '../tools/test-context.ts'
import { writeFile as writeFileTool } from '../tools/write-file.ts'
import { allowedPath } from '../context/references/allowed-path.ts'
import { attachFile } from '../context/references/file.ts'
import { readSkillFile } from '../skills/view-file.ts'

const secret = 'TOPSECRET'
const fixture = join(import.meta.dirname, 'path-race.fixture.ts')

/** How long each tool is tried under attack, ms; longer where it has not succeeded often enough by then. */
const [durationMs, longestMs, enough] = [700, 30_000, 20]

/** A working folder under attack: entries that are swapped for links into `~/.ssh` all the time. */
async function underAttack<T>(fn: (t: TestContext, vault: string) => Promise<T>): Promise<T> {
  await using t = await testContext({
    files: { 'file.txt': 'HARMLESS\n', 'folder/file.txt': 'HARMLESS\n', 'deep/.ssh/other/file.txt': 'HARMLESS\n' },
    decide: async () => ({ kind: 'approval', choice: 'once' }),
  })
  const vault = join(t.dir, '..', 'ann', '.ssh')
  await mkdir(vault, { recursive: true })
  await writeFile(join(vault, 'file.txt'), `${secret}\n`)
  const attacker = spawn(process.execPath, [fixture, t.dir, vault], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(attacker.stdout, 'data')
    const result = await fn(t, vault)
    assert.equal(attacker.exitCode, null, 'the attack went on all the time')
    assert.deepEqual(await readdir(vault), ['file.txt'], 'nothing was made there')
    assert.equal(await readFile(join(vault, 'file.txt'), 'utf8'), `${secret}\n`, 'nothing was written there')
    return result
  } finally {
    const ended = once(attacker, 'exit')
    attacker.kill('SIGKILL')
    await ended
  }
}

/** Does something again and again; errors are fine. Returns all that was given out, and how often something was. */
async function repeatedly(attempt: () => Promise<string>): Promise<{ text: string; successes: number }> {
  const texts = new Set<string>()
  let successes = 0
  const begun = performance.now()
  for (let ms = 0; ms < durationMs || (successes <= enough && ms < longestMs); ms = performance.now() - begun) {
    try {
      texts.add(await attempt())
      successes++
    } catch (error) {
      texts.add(String(error))
    }
  }
  return { text: [...texts].join('\n'), successes }
}

for (const path of ['file.txt', 'folder/file.txt']) {
  test(`read_file never gives out a secret that is put in the place of ${path}`, async () => {
    await underAttack(async (t) => {
      let number = 1
      const { text, successes } = await repeatedly(async () => {
        const result = await t.run(readFileTool, { path, offset: 1, limit: number++ })
        return result.content.replaceAll(/\d+/g, '#')
      })
      assert.ok(successes > enough && text.includes('HARMLESS'), `it was read now and then (${successes})`)
      assert.ok(!text.includes(secret))
    })
  })

  test(`write_file and patch never write into what is put in the place of ${path}`, async () => {
    await underAttack(async (t) => {
      let number = 0
      const written = await repeatedly(async () => {
        const content = `HARMLESS ${number++}\n`
        const result = await t.run(writeFileTool, { path, content })
        const patched = await t.run(patch, { mode: 'replace', path, old_string: 'HARMLESS', new_string: 'HARMLESS' })
        return `${result.content}${patched.content}`.replaceAll(/\d+/g, '#')
      })
      assert.ok(!written.text.includes(secret))
    })
  })
}

test('new folders are never made where a folder on the way leads to', async () => {
  await underAttack(async (t) => {
    let number = 0
    await repeatedly(async () => {
      const path = `folder/new${number++}/a/file.txt`
      return (await t.run(writeFileTool, { path, content: 'HARMLESS\n' })).content.replaceAll(/\d+/g, '#')
    })
  })
})

test('search_files never shows a line of a secret', async () => {
  await underAttack(async (t) => {
    const { text } = await repeatedly(async () => {
      const found = await t.run(searchFiles, { pattern: `HARMLESS|${secret}` })
      const named = await t.run(searchFiles, { pattern: `HARMLESS|${secret}`, path: 'file.txt' })
      return `${found.content}${named.content}`
    })
    assert.ok(text.includes('HARMLESS'))
    assert.ok(!text.includes(secret))
  })
})

test('@file and files of skills never give out a secret', async () => {
  await underAttack(async (t) => {
    const { home, environment, redactor } = t.context.agent
    const sources = { home, environment, redactor, workspace: t.dir, signal: new AbortController().signal }
    const entry = { name: 'x', folder: t.dir }
    const { text } = await repeatedly(async () => {
      const reference = { kind: 'file', value: 'folder/file.txt', lines: undefined }
      // Only what these two look at is given to them.
      await allowedPath('folder/file.txt', sources as unknown as Parameters<typeof allowedPath>[1])
      const [attached, ofSkill] = await Promise.allSettled([
        attachFile(...([reference, sources] as unknown as Parameters<typeof attachFile>)),
        readSkillFile(entry as Parameters<typeof readSkillFile>[0], 'folder/file.txt'),
      ])
      return JSON.stringify([attached, ofSkill])
    })
    assert.ok(text.includes('HARMLESS'))
    assert.ok(!text.includes(secret))
  })
})

test('pipes, devices and endless files are answered at once', async () => {
  await using t = await testContext({ files: { 'file.txt': 'x\n' } })
  execFileSync('mkfifo', [t.path('pipe'), t.path('pipe.pem')])
  await writeFile(t.path('sparse.txt'), 'text\n')
  await truncate(t.path('sparse.txt'), 2 ** 40)
  const begun = performance.now()
  for (const path of ['pipe', 'pipe.pem', '/dev/zero', '/dev/tty', '/proc/kmsg', '/proc/self/fd/0', 'sparse.txt/x']) {
    const results = [
      await t.run(readFileTool, { path }),
      await t.run(writeFileTool, { path, content: 'x' }),
      await t.run(patch, { mode: 'replace', path, old_string: 'a', new_string: 'b' }),
    ]
    for (const { status } of results) assert.notEqual(status, 'ok', path)
  }
  assert.notEqual(
    (await t.run(patch, { mode: 'replace', path: 'sparse.txt', old_string: 'a', new_string: 'b' })).status,
    'ok',
  )
  const page = await t.run(readFileTool, { path: 'sparse.txt', limit: 1 })
  assert.ok(page.content.length < 10_000)
  assert.ok(performance.now() - begun < 90_000)
  const entry = { name: 'x', folder: t.dir }
  await assert.rejects(readSkillFile(entry as Parameters<typeof readSkillFile>[0], 'pipe'), { code: 'not-found' })
})
