import type { Platform } from './platform.ts'
import type { FaceHost } from './turn-face.ts'

/** Every platform by name, loaded when it is asked for. */
export const platforms: Readonly<Record<string, () => Promise<Platform<unknown, FaceHost>>>> = {
  webhook: async () => (await import('./webhook/index.ts')).webhook,
  mobile: async () => (await import('./mobile/index.ts')).mobile,
  pheby: async () => (await import('./pheby/index.ts')).pheby,
  telegram: async () => (await import('./telegram/index.ts')).telegram,
  discord: async () => (await import('./discord/index.ts')).discord,
  slack: async () => (await import('./slack/index.ts')).slack,
  matrix: async () => (await import('./matrix/index.ts')).matrix,
  email: async () => (await import('./email/index.ts')).email,
}
