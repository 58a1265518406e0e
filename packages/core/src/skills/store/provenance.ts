import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import type { Home } from '../../config/home.ts'
import type { SkillEntry } from '../catalogue.ts'
import type { SkillTrust } from '../guard/policy.ts'
import { homeSkillsFolder } from '../skill-scope.ts'
import { bundledHash, folderContentHash } from './folder-hash.ts'
import { ensureHubFolder, hubPath } from './hub-folder.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'
import { readLockFile } from './lock-file.ts'
import { readManifest } from './manifest.ts'

/** Where a skill comes from, and how far its words may be trusted. */
export interface Provenance {
  /** `external`: from a folder of `skills.external_dirs`; `local`: put there by its user. */
  readonly origin: 'bundled' | 'hub' | 'agent' | 'local' | 'external'
  readonly trust: SkillTrust | 'user'
  /** Of a skill from the hub. */
  readonly identifier?: string
  /** Whether its files are not as they came. */
  readonly isModified: boolean
  /** When the agent last wrote to it, and in which session. */
  readonly agentWrote?: { readonly sessionId: string; readonly at: string }
}

const record = z.looseObject({
  created: z.boolean(),
  session_id: z.string(),
  at: z.string(),
})
const schema = z.looseObject({ version: z.number().catch(1), skills: z.record(z.string(), record).catch({}) })

/** Says where a skill comes from. Reads its files, to see whether they were changed. */
export async function provenanceOf(home: Home, entry: SkillEntry): Promise<Provenance> {
  if (entry.place === 'external') return { origin: 'external', trust: 'community', isModified: false }
  const key = keyOf(home, entry.folder)
  const [installed, manifest, { skills }] = await Promise.all([
    readLockFile(home),
    readManifest(home),
    readRecords(home),
  ])
  const own = skills[key]
  const wrote = own && { agentWrote: { sessionId: own.session_id, at: own.at } }
  const lock = installed[entry.name]
  if (lock && (lock.install_path === key || lock.install_path.endsWith(`skills/${key}`))) {
    const isModified = (await folderContentHash(entry.folder)) !== lock.content_hash
    return { origin: 'hub', trust: trustOf(lock.trust_level), identifier: lock.identifier, isModified, ...wrote }
  }
  if (own?.created) return { origin: 'agent', trust: 'agent-created', isModified: false, ...wrote }
  const bundled = manifest.get(entry.name)
  if (bundled === undefined)
    return { origin: 'local', trust: own ? 'agent-created' : 'user', isModified: false, ...wrote }
  const isModified = (await bundledHash(entry.folder)) !== bundled
  const trust = isModified ? (own ? 'agent-created' : 'user') : 'builtin'
  return { origin: 'bundled', trust, isModified, ...wrote }
}

export interface AgentWrite {
  readonly folder: string
  readonly sessionId: string
  readonly at: number
  readonly created: boolean
}

/** Remembers that the agent wrote to a skill. Records of skills that are gone are dropped. Call it under the lock. */
export async function recordAgentWrite(home: Home, { folder, sessionId, at, created }: AgentWrite): Promise<void> {
  await ensureHubFolder(home)
  const { skills, ...rest } = await readRecords(home)
  const key = keyOf(home, folder)
  const kept = Object.entries(skills).filter(([path]) => existsSync(join(homeSkillsFolder(home), path)))
  const known = Object.fromEntries(kept)
  const record = {
    created: created || known[key]?.created === true,
    session_id: sessionId,
    at: new Date(at).toISOString(),
  }
  await writeJsonFile(hubPath(home, 'provenance.json'), { ...rest, skills: { ...known, [key]: record } })
}

function readRecords(home: Home) {
  return readJsonFile(hubPath(home, 'provenance.json'), schema, { version: 1, skills: {} })
}

function keyOf(home: Home, folder: string): string {
  return relative(homeSkillsFolder(home), folder)
}

function trustOf(text: string): SkillTrust {
  return text === 'builtin' || text === 'trusted' || text === 'agent-created' ? text : 'community'
}
