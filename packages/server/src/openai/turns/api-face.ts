import type { Decide } from '@hermes/core/agent/decision.ts'
import type { FaceInfo } from '@hermes/core/agent/turn.ts'

/** How turns of this server see their client. */
export function createApiFace(decide: Decide): FaceInfo {
  return { name: 'api_server', decide }
}
