import { z } from 'zod'
import type { Home } from '../../config/home.ts'
import { ensureHubFolder, hubPath, withSkillsLock } from '../store/hub-folder.ts'
import { readJsonFile, writeJsonFile } from '../store/json-file.ts'
import { checkedRepository } from './github.ts'
import { HubError } from './hub-error.ts'

/** A repository whose skills are listed. */
export interface Tap {
  /** `owner/name`. */
  readonly repo: string
  /** The folder with the skills. */
  readonly path: string
}

/** Repositories that are always looked through. */
export const defaultTaps: readonly Tap[] = [
  { repo: 'openai/skills', path: 'skills/' },
  { repo: 'anthropics/skills', path: 'skills/' },
  { repo: 'VoltAgent/awesome-agent-skills', path: 'skills/' },
  { repo: 'garrytan/gstack', path: '' },
]

const maxTaps = 50

const schema = z.looseObject({
  taps: z.array(z.looseObject({ repo: z.string(), path: z.string().catch('skills/') })).catch([]),
})

/** The user's own taps: `skills/.hub/taps.json`. */
export async function readTaps(home: Home): Promise<readonly Tap[]> {
  const { taps } = await readJsonFile(hubPath(home, 'taps.json'), schema, { taps: [] })
  return taps.map(({ repo, path }) => ({ repo, path }))
}

/** All repositories that are looked through, each once. */
export async function allTaps(home: Home): Promise<readonly Tap[]> {
  const own = await readTaps(home)
  const known = new Set(own.map(({ repo }) => repo.toLowerCase()))
  return [...own, ...defaultTaps.filter(({ repo }) => !known.has(repo.toLowerCase()))]
}

/** Adds a tap. False when it was there already. Throws `HubError` `invalid`. */
export async function addTap(home: Home, text: string, signal: AbortSignal): Promise<boolean> {
  const [owner = '', name = '', ...path] = text
    .trim()
    .replace(/^https?:\/\/github\.com\//, '')
    .replace(/\.git$/, '')
    .split('/')
  const repo = checkedRepository(`${owner}/${name}`)
  return withSkillsLock(home, signal, async () => {
    const taps = await readTaps(home)
    if ([...taps, ...defaultTaps].some((tap) => tap.repo.toLowerCase() === repo.toLowerCase())) return false
    if (taps.length >= maxTaps) throw new HubError('invalid', `There are ${maxTaps} taps already. Remove one first.`)
    await write(home, [...taps, { repo, path: path.length > 0 ? `${path.join('/')}/` : 'skills/' }])
    return true
  })
}

/** Removes a tap. False when there was none. */
export async function removeTap(home: Home, repo: string, signal: AbortSignal): Promise<boolean> {
  return withSkillsLock(home, signal, async () => {
    const taps = await readTaps(home)
    const left = taps.filter((tap) => tap.repo.toLowerCase() !== repo.trim().toLowerCase())
    if (left.length === taps.length) return false
    await write(home, left)
    return true
  })
}

async function write(home: Home, taps: readonly Tap[]): Promise<void> {
  await ensureHubFolder(home)
  await writeJsonFile(hubPath(home, 'taps.json'), { taps })
}
