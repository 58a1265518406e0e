import type { Platform } from '../platform.ts'
import { connectMatrix, connectMatrixToSend } from './connect.ts'
import { readSettings } from './settings.ts'
import type { MatrixSettings } from './settings.ts'
import type { MatrixHost } from './take-event.ts'

// What surprises about Matrix: a sync token tells the server to forget the keys that came before it; a message may come
// before the key that opens it; the server takes an event with a transaction that it knows for the same one; a thread is a
// relation of messages and begins with any of them; apps take what begins with a slash for commands of their own.

/** Matrix, through the client-server API, with end-to-end encryption. */
export const matrix: Platform<MatrixSettings, MatrixHost> = {
  name: 'matrix',
  label: 'Matrix',
  variablePrefix: 'MATRIX',
  promptHint:
    'You write in a Matrix chat. Markdown is shown: headings, bold, italic, lists, quotes, links, tables, inline code and code blocks. Files are sent by MEDIA:/absolute/path in the answer: pictures, videos and sound are shown as such, .ogg files are voice messages; ![name](https://…) sends a picture.',
  limits: { maxLength: 4_000 },
  commandStart: '!',
  read: readSettings,
  connect: connectMatrix,
  connectToSend: connectMatrixToSend,
}
