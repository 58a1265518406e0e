export {
  CLARIFY_OTHER,
  CLOSE_POLICY_VIOLATION,
  dataUrl,
  HermesMobileClient,
  HermesProtocolError,
  INBOUND_MEDIA_KINDS,
  MAX_FRAME_BYTES,
  MEDIA_CHUNK_BYTES,
  MOBILE_PROTOCOL_VERSION,
  optionIds,
} from './mobile/client.ts'
export type * from './mobile/client.ts'
export { PhebyClient, PhebyError } from './pheby/client.ts'
export type * from './pheby/client.ts'
export { TimeoutError } from './connection/inbox.ts'
