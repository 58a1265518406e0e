import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { temporaryHome } from '@hermes/testing'
import { createFileMemo } from '../storage/file-memo.ts'
import { skillsIndex } from './skills-index.ts'

const skill = (name: string, about: string) => `---\nname: ${name}\ndescription: ${about}\n---\n\nDo it.\n`

/** Everything below a folder was last changed long ago. */
async function age(folder: string): Promise<void> {
  const long = new Date('2026-01-01T00:00:00Z')
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await utimes(join(entry.parentPath, entry.name), long, long)
  }
  await utimes(folder, long, long)
}

function once<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>()
  return (key) => {
    const one = made.get(key) ?? make(key)
    made.set(key, one)
    return one
  }
}

test('the index is made once, and anew when a skill, a folder, a link or a setting has changed', async () => {
  await using home = await temporaryHome({
    'skills/data/csv/SKILL.md': skill('csv', 'Tables'),
    'skills/solo/SKILL.md': skill('solo', 'Alone'),
    'elsewhere/far/SKILL.md': skill('far', 'Away'),
  })
  const path = (...parts: readonly string[]) => home.path(...parts)
  await symlink(path('elsewhere'), path('skills', 'linked'))
  await age(path('skills'))
  await age(path('elsewhere'))
  // What was changed just now is not kept: for this clock all of it was changed a while ago.
  const fileMemo = createFileMemo(() => Date.now() + 60_000)
  const tools = new Map([['skill_view', { toolset: 'skills' }]])
  // The same settings and tools are the same objects, as in a profile.
  const settingsWithout = once((disabled: string) => {
    const names = disabled.split(',')
    return { external_dirs: [], disabled: names, platform_disabled: {}, config: {}, creation_nudge_interval: 10 }
  })
  const toolsWith = once((more: string) => {
    return new Map([...tools, ...more.split(',').map((name) => [name, { toolset: name }] as const)])
  })
  const look = async (disabled: readonly string[] = [], more: readonly string[] = []) => {
    // Files are looked at again in each round of the event loop; what has changed in watched folders is told by the second.
    for (let rounds = 0; rounds < 2; rounds++) await nextRound()
    const skills = settingsWithout(disabled.join())
    const own = { dir: home.dir, path }
    const present = toolsWith(more.join())
    const index = await skillsIndex({ home: own, config: { skills }, environment: {}, tools: present, fileMemo })
    return index.split('\n').flatMap((line) => /^ {4}- (.*)/.exec(line)?.[1] ?? [])
  }
  const put = async (name: string, text: string) => {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), text)
  }
  assert.deepEqual(await look(), ['csv: Tables', 'solo: Alone', 'far: Away'])
  const facts = path('cache', 'skills.json')
  await rm(facts)
  assert.equal((await look()).length, 3)
  assert.equal((await look([], ['terminal'])).length, 3)
  assert.equal(existsSync(facts), false, 'nothing was read again, for other tools neither')
  assert.deepEqual(await look(['csv', 'far']), ['solo: Alone'])

  await put('skills/solo/SKILL.md', skill('solo', 'No longer alone'))
  assert.ok((await look([], ['terminal'])).includes('solo: No longer alone'))
  assert.ok((await look()).includes('solo: No longer alone'))
  await put('skills/data/json/SKILL.md', skill('json', 'Trees'))
  assert.ok((await look()).includes('json: Trees'))
  await put('elsewhere/far/SKILL.md', skill('far', 'Still away'))
  assert.ok((await look()).includes('far: Still away'))
  await put('elsewhere/near/SKILL.md', skill('near', 'Close'))
  assert.ok((await look()).includes('near: Close'))
  await rm(path('skills', 'data'), { recursive: true })
  assert.deepEqual((await look()).toSorted(), ['far: Still away', 'near: Close', 'solo: No longer alone'])
})
