import type { Platform } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { connectPheby } from './connect.ts'
import { readSettings } from './settings.ts'
import type { PhebySettings } from './settings.ts'

/** An app of one person that speaks the Pheby protocol. */
export const pheby: Platform<PhebySettings, FaceHost> = {
  name: 'pheby',
  label: 'Pheby',
  variablePrefix: 'PHEBY',
  promptHint:
    'You are on a phone, in an app that shows Markdown. Keep answers short enough for a small screen. Files go to the person when you write MEDIA:/absolute/path on a line of its own.',
  // A message is one event, however long it is.
  limits: { maxLength: 1_000_000, maxFileBytes: 64 * 1024 * 1024 },
  read: readSettings,
  connect: connectPheby,
}
