import { rm } from 'node:fs/promises'
import { loadEnvironment, saveVariable } from '../config/environment.ts'
import type { AuthDocument } from './auth-file.ts'
import { nextPriority, patchEntry, removeEntry, setSuppressed } from './auth-entries.ts'
import { CredentialError } from './credential-error.ts'
import { clearedStatus, isUsableSecret, newEntry } from './entry.ts'
import { hermesPkceFile, type Places } from './grant-files.ts'
import { newEntryId } from './keep-sign-in.ts'
import type { CredentialPool } from './pool.ts'
import { isManual, type PooledCredential } from './pool-view.ts'

export interface NewKey {
  readonly provider: string
  readonly secret: string
  readonly label?: string | undefined
  readonly baseUrl?: string | undefined
}

/** Adds a key to a pool. Resolves to what it is called. Throws `CredentialError` with code `bad-secret`. */
export async function addKey(pool: CredentialPool, { provider, secret, label, baseUrl }: NewKey): Promise<string> {
  const key = secret.trim()
  if (!isUsableSecret(key)) throw badSecret('it is too short, or stands for one')
  if (!/^[\x21-\x7E]+$/.test(key)) throw badSecret('it has spaces, line breaks or letters in it that no key has')
  const view = await pool.view(provider)
  let name = label?.trim() ?? ''
  await pool.file.update((draft) => {
    prune(draft, provider, view)
    const entries = (draft.credential_pool[provider] ??= [])
    const same = entries.find((entry) => entry['access_token'] === key && isManual(String(entry['source'])))
    if (same) throw new CredentialError('bad-secret', `That key is there already, as "${String(same['label'])}".`)
    name ||= `api-key-${entries.length + 1}`
    entries.push(
      newEntry({
        id: newEntryId(),
        label: name,
        auth_type: 'api_key',
        priority: nextPriority(entries),
        source: 'manual',
        access_token: key,
        ...(baseUrl !== undefined && { base_url: baseUrl }),
      }),
    )
  })
  return name
}

function badSecret(why: string): CredentialError {
  return new CredentialError('bad-secret', `That is no key: ${why}.`)
}

export interface ManageOptions extends Places {
  /** The variables that the process was started with, without those of `.env`. */
  readonly processEnvironment: Readonly<Record<string, string | undefined>>
}

export interface Removed {
  readonly label: string
  /** What else was done, and what the person should know. */
  readonly notes: readonly string[]
}

/**
 * Removes one credential where it comes from: its entry, its variable in `.env`, its sign-in. What is not ours to remove
 * is left where it is and not used any more. `target` is a number of the list, an id or a label. Throws
 * `CredentialError` with code `not-found`.
 */
export async function removeCredential(
  pool: CredentialPool,
  provider: string,
  target: string,
  options: ManageOptions,
): Promise<Removed> {
  const view = await pool.view(provider)
  const { entry } = findCredential(view, provider, target)
  const notes = await removeOrigin(entry.source, options)
  let left: string | undefined
  await pool.file.update((draft) => {
    prune(draft, provider, view)
    removeEntry(draft, provider, entry.id)
    const isOver = entry.source === 'device_code' && removeState(draft, provider)
    left = isOver ? undefined : whatIsLeft(entry.source, options)
    if (left !== undefined) setSuppressed(draft, provider, entry.source, true)
  })
  if (left !== undefined) notes.push(`${left} "hermes auth reset ${provider}" uses it again.`)
  return { label: entry.label || entry.id, notes }
}

async function removeOrigin(source: string, options: ManageOptions): Promise<string[]> {
  if (source === hermesPkceFile.source) {
    await rm(hermesPkceFile.path(options), { force: true })
    return [`${hermesPkceFile.path(options)} was removed.`]
  }
  if (!source.startsWith('env:')) return []
  const name = source.slice('env:'.length)
  if (!loadEnvironment(options.home, {}).fromFile.has(name)) return []
  await saveVariable({ home: options.home }, name, undefined)
  return [`${name} was taken out of ${options.home.path('.env')}.`]
}

/** What of a source is not ours to remove, and is therefore no longer used; undefined when nothing is left. */
function whatIsLeft(source: string, { processEnvironment }: ManageOptions): string | undefined {
  if (source.startsWith('env:')) {
    const name = source.slice('env:'.length)
    return processEnvironment[name] ? `${name} is set outside of Hermes, and is not used any more;` : undefined
  }
  if (source.startsWith('config:') || source === 'model_config') {
    return 'Its key still stands in config.yaml, and is not used any more;'
  }
  return foreignSources.has(source)
    ? 'The other program stays signed in; Hermes does not use that any more;'
    : undefined
}

/** Sources that show the sign-in of another program. `device_code` is one when there is no sign-in of our own. */
const foreignSources: ReadonlySet<string> = new Set(['claude_code', 'device_code', 'manual:qwen_cli', 'gh_cli'])

/** The one credential that is meant. */
function findCredential(view: readonly PooledCredential[], provider: string, target: string): PooledCredential {
  const byIndex = /^[1-9]\d?$/.test(target) ? view[Number(target) - 1] : undefined
  const byId = view.find(({ entry }) => entry.id === target)
  const byLabel = view.filter(({ entry }) => entry.label === target)
  const found = byIndex ?? byId ?? byLabel[0]
  if (byLabel.length > 1 && found === byLabel[0]) {
    throw new CredentialError('not-found', `"${target}" names ${byLabel.length} credentials; give a number or an id.`)
  }
  if (found) return found
  const known = view.map(({ entry }, at) => `${at + 1} ${entry.label ?? ''} (${entry.id})`)
  const there = known.length === 0 ? `${provider} has none.` : `There are: ${known.join(', ')}.`
  throw new CredentialError('not-found', `${provider} has no credential "${target}". ${there}`)
}

/** Forgets every rest of a provider's credentials, and uses again what was removed without being ours to remove. */
export async function resetCredentials(pool: CredentialPool, provider: string): Promise<{ readonly count: number }> {
  const view = await pool.view(provider)
  let count = 0
  await pool.file.update((draft) => {
    count = 0
    prune(draft, provider, view)
    for (const { id, last_status: status } of draft.credential_pool[provider] ?? []) {
      if (status !== null && status !== 'ok') count += 1
      patchEntry(draft, provider, String(id), clearedStatus)
    }
    for (const source of draft.suppressed_sources?.[provider] ?? []) {
      count += 1
      setSuppressed(draft, provider, source, false)
    }
  })
  return { count }
}

/**
 * Ends the sign-ins to a provider: its state, its signed-in entries, Hermes's own file. Keys stay. Sign-ins of other
 * programs are not used any more. Resolves to whether there was any.
 */
export async function logOut(pool: CredentialPool, provider: string, options: ManageOptions): Promise<boolean> {
  const view = await pool.view(provider)
  const signIns = view.filter(({ entry, store }) => entry.auth_type === 'oauth' && (store || isManual(entry.source)))
  const sources = new Set(signIns.map(({ entry }) => entry.source))
  if (sources.has(hermesPkceFile.source)) await rm(hermesPkceFile.path(options), { force: true })
  let hadState = false
  await pool.file.update((draft) => {
    prune(draft, provider, view)
    hadState = removeState(draft, provider)
    for (const { entry } of signIns) removeEntry(draft, provider, entry.id)
    for (const source of sources) {
      const isOver = source === 'device_code' && hadState
      if (foreignSources.has(source) && !isOver) setSuppressed(draft, provider, source, true)
    }
    if (draft.active_provider === provider) draft.active_provider = null
  })
  return hadState || signIns.length > 0
}

/** The provider that `hermes login` signed in to last. */
export async function activeProvider(pool: CredentialPool): Promise<string | undefined> {
  return (await pool.file.read()).active_provider ?? undefined
}

function removeState(draft: AuthDocument, provider: string): boolean {
  const had = draft.providers[provider] !== undefined
  delete draft.providers[provider]
  if (draft.active_provider === provider) draft.active_provider = null
  return had
}

/** Takes out entries whose origin has gone. Entries that this version cannot read stay. */
function prune(draft: AuthDocument, provider: string, view: readonly PooledCredential[]): void {
  const shown = new Set(view.map(({ entry }) => entry.id))
  for (const { id, source } of draft.credential_pool[provider] ?? []) {
    const isGone = typeof id === 'string' && typeof source === 'string' && !isManual(source) && !shown.has(id)
    if (isGone) removeEntry(draft, provider, id)
  }
}
