import type { Protocol } from '../reference/protocol.ts'
import * as constants from './constants.ts'
import { phebyErrors } from './error-codes.ts'
import { phebyEvent } from './events.ts'
import { phebyRequest } from './requests.ts'

const introduction = `
One WebSocket, by default \`ws://127.0.0.1:${constants.PHEBY_DEFAULT_PORT}/ws\`, behind a reverse proxy that brings TLS; every message is one JSON
object as text, and \`type\` names its kind. A request may carry a \`request_id\`, which the direct reply repeats. Events go to all
clients that have signed in. Times are ISO 8601 in UTC. All ids are the server's and mean nothing to a client. Unknown fields are
ignored; an optional field of a request may be \`null\`, which is as if it were not there.

One turn of the agent is one run:
\`run.accepted → message.start → message.delta (any number) → message.complete → run.finished\`. \`message.delta\` holds all of the
draft so far; \`message.complete\` takes its place. That of a run which failed before it said anything is a notice, and a cancelled
run has none. One run at a time in one conversation.

After a reconnect: \`hello\`, then \`conversation.open\` for what is shown. Its answer takes the place of everything that the client
knew; live events go on from there.

Files are fetched by \`GET\` of their \`download_path\`, with the secret as \`Authorization: Bearer …\`, \`Authorization: ApiKey …\` or
\`X-Pheby-Secret: …\`. What is unknown, expired or malformed is \`404\` with
\`{"error":{"code":"not_found","message":"Attachment unavailable"}}\`.
`

export const phebyProtocol: Protocol = {
  name: 'pheby-v1',
  title: 'Pheby protocol, version 1',
  introduction,
  discriminator: 'type',
  fromClient: phebyRequest,
  fromServer: phebyEvent,
  errors: Object.entries(phebyErrors),
  limits: [
    ['frame from the client', `${constants.MAX_REQUEST_BYTES} bytes; larger: \`too_large\`, and the connection closes`],
    ['text of `chat.send`', `${constants.MAX_TEXT_CHARS} characters`],
    ['messages of `conversation.history`', String(constants.MAX_HISTORY_MESSAGES)],
    ['name of a conversation', `${constants.MAX_NAME_CHARS} characters`],
    ['time to say `hello`', `${constants.HELLO_TIMEOUT_MS / 1000} s`],
    ['WebSocket ping of the server', `every ${constants.PING_INTERVAL_MS / 1000} s`],
    [
      'failed hellos of one address',
      `${constants.LOCKOUT_FAILURES} in ${constants.LOCKOUT_WINDOW_MS / 1000} s; then it is locked out`,
    ],
  ],
}
