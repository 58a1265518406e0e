import type { Platform } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { connectMobile } from './connect.ts'
import { readSettings } from './settings.ts'
import type { MobileSettings } from './settings.ts'

// What surprises about it: the device connects to us, so that there is nothing to be reached while it is away, and all
// that is said waits on disk for its acknowledgement. A reply is cut here and not by the gateway, since each piece tells
// how many there are. Pieces and edits share the id of their message, which is all that a device acknowledges: that a later
// one arrived is known by the answer to a ping behind it.

/** Phones, watches and small bots, each over one WebSocket, by the mobile protocol. */
export const mobile: Platform<MobileSettings, FaceHost> = {
  name: 'mobile',
  label: 'Mobile',
  variablePrefix: 'MOBILE',
  promptHint:
    'You write on a phone. Keep answers short. Markdown is shown. Files that you name by MEDIA: are sent, and your answer may be read out loud.',
  limits: { maxLength: 1_000_000, maxFileBytes: 64 * 1024 * 1024 },
  read: readSettings,
  connect: connectMobile,
}
