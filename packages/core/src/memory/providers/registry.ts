import type { MemoryProviderKind } from '../memory-provider.ts'

/** Every kind of memory provider by name, loaded when it is asked for. */
export const memoryProviders: Readonly<Record<string, () => Promise<MemoryProviderKind>>> = {
  byterover: async () => (await import('./byterover/byterover.ts')).byterover,
  holographic: async () => (await import('./holographic/holographic.ts')).holographic,
  honcho: async () => (await import('./honcho/honcho.ts')).honcho,
  mem0: async () => (await import('./mem0/mem0.ts')).mem0,
  openviking: async () => (await import('./openviking/openviking.ts')).openviking,
  retaindb: async () => (await import('./retaindb/retaindb.ts')).retaindb,
  hindsight: async () => (await import('./hindsight/hindsight.ts')).hindsight,
  supermemory: async () => (await import('./supermemory/supermemory.ts')).supermemory,
}
