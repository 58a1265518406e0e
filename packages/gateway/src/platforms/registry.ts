import type { Platform } from './platform.ts'

/** Every platform by name, loaded when it is asked for. */
export const platforms: Readonly<Record<string, () => Promise<Platform>>> = {
  webhook: async () => (await import('./webhook/index.ts')).webhook,
  telegram: async () => (await import('./telegram/index.ts')).telegram,
}
