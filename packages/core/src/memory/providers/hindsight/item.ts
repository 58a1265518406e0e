import type { MemoryProviderStart } from '../../memory-provider.ts'
import type { HindsightItem } from './service.ts'
import type { HindsightSettings } from './settings.ts'

/** Something to be kept, with what is noted of every item of a session. */
export function itemOf(content: string, start: MemoryProviderStart, settings: HindsightSettings): HindsightItem {
  const { retainSource, retainTags } = settings
  return {
    content,
    timestamp: new Date(start.clock.now()).toISOString(),
    tags: retainTags,
    metadata: {
      session_id: start.sessionId,
      platform: start.platform,
      ...(start.userId && { user_id: start.userId }),
      ...(retainSource !== '' && { source: retainSource }),
    },
  }
}
