import { randomBytes } from 'node:crypto'
import type { Clock } from '../agent/clock.ts'
import type { Environment } from '../agent/context.ts'
import type { Home } from '../config/home.ts'
import type { AuthDocument } from './auth-file.ts'
import { grantFields, nextPriority, setSuppressed } from './auth-entries.ts'
import { withGrant } from './entry-grant.ts'
import { clearedStatus, newEntry } from './entry.ts'
import { grantFileStore, hermesPkceFile } from './grant-files.ts'
import type { OAuthProvider } from './oauth/provider.ts'
import type { SignedIn } from './oauth/sign-in.ts'
import type { CredentialPool } from './pool.ts'
import { providerKeys } from './provider-keys.ts'

export interface KeepOptions {
  readonly home: Home
  readonly environment: Environment
  readonly clock: Clock
  readonly provider: OAuthProvider
  readonly signedIn: SignedIn
  /** What it is called; the account's name, or a numbered one, when absent. */
  readonly label?: string | undefined
  /** `login`: the provider's one sign-in, which becomes the active one. `add`: one more in its pool. */
  readonly as: 'login' | 'add'
}

/** Keeps a sign-in, in place of the provider's last one or beside the others. Resolves to what it is called. */
export async function keepSignIn(pool: CredentialPool, options: KeepOptions): Promise<string> {
  const { provider, signedIn, clock, as } = options
  const { id, loginKeptIn } = provider
  const kept = as === 'add' ? 'pool' : loginKeptIn
  const now = (): number => clock.now()
  // The file first: what names it must not be there without it.
  if (kept === 'file') await grantFileStore(hermesPkceFile, options, now).write(signedIn.grant)
  let label = options.label ?? signedIn.account ?? ''
  await pool.file.update((draft) => {
    if (as === 'login') draft.active_provider = id
    if (kept === 'pool') label = addEntry(draft, options, label)
    else replaceLogin(draft, options, kept === 'file' ? hermesPkceFile.source : 'device_code')
  })
  return label || provider.title
}

function addEntry(draft: AuthDocument, { provider, signedIn, clock }: KeepOptions, wanted: string): string {
  const entries = (draft.credential_pool[provider.id] ??= [])
  const label = wanted || `${provider.id}-${entries.length + 1}`
  const baseUrl = signedIn.grant.inferenceUrl ?? providerKeys[provider.id]?.baseUrl
  entries.push(
    newEntry({
      ...grantFields(signedIn.grant, clock.now()),
      id: newEntryId(),
      label,
      auth_type: 'oauth',
      priority: nextPriority(entries),
      source: provider.addedSource,
      access_token: signedIn.grant.accessToken,
      ...(baseUrl !== undefined && { base_url: baseUrl }),
    }),
  )
  return label
}

/** Nothing of the last sign-in stays: neither its keys nor what was held against it. */
function replaceLogin(draft: AuthDocument, options: KeepOptions, source: string): void {
  const { provider, signedIn, clock } = options
  setSuppressed(draft, provider.id, source, false)
  if (source === 'device_code') {
    draft.providers[provider.id] = withGrant(undefined, provider.id, signedIn.grant, clock.now())
  }
  for (const entry of draft.credential_pool[provider.id] ?? []) {
    if (entry['source'] !== source) continue
    const cleared = { ...clearedStatus, agent_key: null, agent_key_expires_at: null, ended: null }
    Object.assign(entry, cleared, grantFields(signedIn.grant, clock.now()))
  }
}

/** Six hexadecimal digits, as every entry of `auth.json` has them. */
export function newEntryId(): string {
  return randomBytes(3).toString('hex')
}
