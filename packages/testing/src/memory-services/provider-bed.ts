import type { TestContext } from 'node:test'
import type { MemoryProviderStart } from '@hermes/core/memory/memory-provider.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '../temporary-home.ts'

/** A session of the default profile, in a home of its own with these files and variables. */
export async function providerBed(
  t: TestContext,
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
  start: Partial<MemoryProviderStart> = {},
): Promise<MemoryProviderStart> {
  const home = await temporaryHome(files)
  t.after(() => home[Symbol.asyncDispose]())
  return {
    home,
    environment: { ...home.environment, ...environment },
    clock: { now: () => Date.now(), timeZone: 'UTC' },
    log: silentLogger,
    settings: {},
    sessionId: 's1',
    platform: 'cli',
    role: 'primary',
    identity: 'default',
    workspace: '/work/zoo',
    ...start,
  }
}
