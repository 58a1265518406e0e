import { isDeepStrictEqual } from 'node:util'
import type { ConfiguredPlatform } from '../gateway.ts'
import type { PlatformRunner, PlatformStatus } from '../platforms/platform-runner.ts'

/** What became of a platform when the settings changed. */
export interface PlatformChange {
  readonly name: string
  readonly label: string
  readonly change: 'added' | 'removed' | 'changed'
}

/** The platforms that run now, by name. Disposing of it ends them. */
export interface PlatformSet extends AsyncDisposable {
  /** Those that are set up; the same object for ever. */
  readonly platforms: ReadonlyMap<string, ConfiguredPlatform['platform']>
  runner(name: string): PlatformRunner | undefined
  statuses(): readonly PlatformStatus[]
  /** Starts, ends or reconnects what is not as it is wanted; touches no other. Resolves to what it was. */
  apply(wanted: readonly ConfiguredPlatform[]): Promise<readonly PlatformChange[]>
}

/** With these set up and none running: `apply` starts them. */
export function createPlatformSet(
  first: readonly ConfiguredPlatform[],
  start: (one: ConfiguredPlatform) => Promise<PlatformRunner>,
): PlatformSet {
  const platforms = new Map(first.map(({ platform }) => [platform.name, platform]))
  const running = new Map<string, { readonly runner: PlatformRunner; readonly settings: unknown }>()
  const run = async (one: ConfiguredPlatform) => {
    platforms.set(one.platform.name, one.platform)
    running.set(one.platform.name, { runner: await start(one), settings: one.settings })
  }
  return {
    platforms,
    runner: (name) => running.get(name)?.runner,
    statuses: () => [...running.values()].map(({ runner }) => runner.status),
    async apply(wanted) {
      const changes: PlatformChange[] = []
      const names = new Set(wanted.map(({ platform }) => platform.name))
      for (const [name, { runner }] of running) {
        if (names.has(name)) continue
        changes.push({ name, label: platforms.get(name)?.label ?? name, change: 'removed' })
        running.delete(name)
        platforms.delete(name)
        await runner[Symbol.asyncDispose]()
      }
      for (const one of wanted) {
        const { name, label } = one.platform
        const before = running.get(name)
        if (before && isDeepStrictEqual(before.settings, one.settings)) continue
        // It gives its account back before the next one takes it.
        await before?.runner[Symbol.asyncDispose]()
        await run(one)
        changes.push({ name, label, change: before ? 'changed' : 'added' })
      }
      return changes
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running.values()].map(({ runner }) => runner[Symbol.asyncDispose]()))
    },
  }
}
