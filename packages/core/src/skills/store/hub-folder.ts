import { mkdir } from 'node:fs/promises'
import type { Home } from '../../config/home.ts'
import { withFileLock } from '../../storage/file-lock.ts'

/** A path in `skills/.hub`, where everything about the origin of skills is kept; the agent's file tools cannot reach it. */
export function hubPath(home: Home, ...parts: string[]): string {
  return home.path('skills', '.hub', ...parts)
}

/** Makes a folder in it, readable for its owner alone. */
export async function ensureHubFolder(home: Home, ...parts: string[]): Promise<string> {
  const folder = hubPath(home, ...parts)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Runs `change` while nobody else changes the skills of this home. Not to be nested. */
export async function withSkillsLock<T>(home: Home, signal: AbortSignal, change: () => Promise<T>): Promise<T> {
  await ensureHubFolder(home)
  return withFileLock(hubPath(home, 'write'), change, { signal, timeoutMs: 15_000 })
}
