import type { BrowserBackend } from './browser-backend.ts'
import type { BackendName } from './choose-backend.ts'

/** Every way to a browser; its file is loaded when it is first used. */
export const backends: Readonly<Record<BackendName, () => Promise<BrowserBackend>>> = {
  local: async () => (await import('./local/index.ts')).local,
  cdp: async () => (await import('./cdp-address.ts')).cdpAddress,
  browserbase: async () => (await import('./browserbase.ts')).browserbase,
  'browser-use': async () => (await import('./browser-use.ts')).browserUse,
  firecrawl: async () => (await import('./firecrawl.ts')).firecrawl,
}
