import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { MemoryProviderStart } from '../../memory-provider.ts'
import type { HonchoSettings } from './settings.ts'
import { honchoId } from './settings.ts'

/** Whom and which conversation Honcho knows a session by. */
export interface HonchoIdentity {
  readonly workspace: string
  readonly user: string
  readonly ai: string
  readonly session: string
}

type IdentityStart = Pick<MemoryProviderStart, 'userId' | 'platform' | 'sessionId' | 'workspace'>

const maxSessionChars = 100

export function honchoIdentity(settings: HonchoSettings, start: IdentityStart): HonchoIdentity {
  const user = userPeer(settings, start.userId)
  const name = sessionName(settings, start)
  const session = settings.hasSessionPeerPrefix && settings.peerName ? `${settings.peerName}-${name}` : name
  return { workspace: settings.workspace, user, ai: settings.aiPeer, session: bounded(honchoId(session)) }
}

/** The peer of whoever speaks: a person of a platform is another than the person at the terminal, unless pinned. */
function userPeer(settings: HonchoSettings, userId: string | undefined): string {
  const { peerName, peerAliases, runtimePeerPrefix, isPeerPinned, aiPeer } = settings
  if (userId && !(isPeerPinned && peerName)) {
    return apart(honchoId(peerAliases[userId] ?? `${runtimePeerPrefix}${userId}`), aiPeer)
  }
  return apart(honchoId(peerName ?? 'user'), aiPeer)
}

/** The person and the agent must be two, or each would be taken for the other. */
function apart(user: string, ai: string): string {
  return user === ai ? `${user}-user` : user
}

function sessionName(settings: HonchoSettings, { platform, sessionId, workspace }: IdentityStart): string {
  const mapped = settings.sessions[workspace]
  if (mapped) return mapped
  // A chat is a conversation of its own, wherever the program happens to run.
  if (platform !== 'cli') return sessionId
  switch (settings.sessionStrategy) {
    case 'per-session':
      return sessionId
    case 'global':
      return settings.workspace
    case 'per-repo':
      return basename(repositoryOf(workspace) ?? workspace) || 'root'
    case 'per-directory':
      return basename(workspace) || 'root'
  }
}

function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : repositoryOf(parent)
}

/** A long name is cut, with what tells it from others that begin alike. */
function bounded(name: string): string {
  if (name.length <= maxSessionChars) return name
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${name.slice(0, maxSessionChars - 9)}-${mark}`
}
