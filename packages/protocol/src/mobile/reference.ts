import type { Protocol } from '../reference/protocol.ts'
import { mobileClientFrame } from './client-frames.ts'
import * as constants from './constants.ts'
import { mobileErrors } from './error-codes.ts'
import { mobileServerFrame } from './server-frames.ts'

const introduction = `
One WebSocket, by default \`ws://127.0.0.1:${constants.MOBILE_DEFAULT_PORT}/ws\`; every frame is one JSON object as text, and \`t\`
names its kind. TLS comes from a reverse proxy. The token goes into \`hello\` and never into the address.

The client sends \`hello\` first and gets \`ready\`. \`session\` stays the same for one device. After a reconnect the server sends
again what was not acknowledged by \`ack\` (messages, media, open cards), oldest first; a client drops what it has shown
already, by \`id\`. All pieces of one \`message\` and its edits share an \`id\`, and \`index\` tells the pieces apart; it is acknowledged
once, when all of them are there. Servers answer frames that they do not know with \`unsupported_frame\`; clients ignore them.
Unknown fields are ignored by both; an optional field of a client's frame may be \`null\`, which is as if it were not there.

A card is answered by \`prompt\` with the id of an option. Anything else becomes the safe option: \`deny\` for \`exec_approval\`
(\`${constants.EXEC_APPROVAL_OPTIONS.join('`, `')}\`), \`cancel\` for \`slash_confirm\` (\`${constants.SLASH_CONFIRM_OPTIONS.join('`, `')}\`). A \`clarify\` card takes
\`c0\`, \`c1\` and so on, or free text with \`${constants.CLARIFY_OTHER}\` or alone; without either it stays open.
`

export const mobileProtocol: Protocol = {
  name: 'mobile-v1',
  title: 'Mobile protocol, version 1',
  introduction,
  discriminator: 't',
  fromClient: mobileClientFrame,
  fromServer: mobileServerFrame,
  errors: Object.entries(mobileErrors).map(
    ([code, { fatal, meaning }]) =>
      [code, fatal ? `${meaning} Ends the connection (close code 1008).` : meaning] as const,
  ),
  limits: [
    [
      'frame, either way',
      `${constants.MAX_FRAME_BYTES} bytes; larger: \`too_big\` and close code ${constants.CLOSE_TOO_BIG}`,
    ],
    ['part of a file, before base64', `${constants.MEDIA_CHUNK_BYTES} bytes`],
    ['parts of a file', String(constants.MAX_MEDIA_PARTS)],
    ['text, transcript or caption of the client', `${constants.MAX_CLIENT_TEXT_CHARS} characters; longer: \`too_big\``],
    ['id', `${constants.MAX_ID_CHARS} characters`],
    ['time to say `hello`', `${constants.HELLO_TIMEOUT_MS / 1000} s`],
    ['WebSocket ping of the server', `every ${constants.PING_INTERVAL_MS / 1000} s; a client silent for two is closed`],
    [
      'failed hellos of one address',
      `${constants.LOCKOUT_FAILURES} in ${constants.LOCKOUT_WINDOW_MS / 1000} s; then locked out for ${constants.LOCKOUT_MS / 1000} s`,
    ],
    ['redelivery', `${constants.REDELIVERY_MAX_ITEMS} items, ${constants.REDELIVERY_MAX_AGE_MS / 3_600_000} h`],
  ],
}
