import type { Platform } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { readSettings } from './settings.ts'
import type { EmailSettings } from './settings.ts'

// What surprises about mail: whoever sends may write any `From`, and only what the own server says of it can be believed;
// programs answer programs for ever unless one of them is silent; numbers of mails hold only as long as their UIDVALIDITY;
// what was accepted may be known to nobody, when the line breaks after the last dot; an answer brings all that was said
// before along with it.

/** Mail, read by IMAP and sent by SMTP. */
export const email: Platform<EmailSettings, FaceHost> = {
  name: 'email',
  label: 'Email',
  variablePrefix: 'EMAIL',
  promptHint:
    'You answer by e-mail. Each answer is one mail: write it whole, without asking back and forth for small things. Markdown is shown: headings, lists, tables, links and code blocks. Files are attached by MEDIA:/absolute/path in the answer.',
  // Nobody wants a long answer in several mails.
  limits: { maxLength: 500_000 },
  read: readSettings,
  connect: async (settings, host, signal) => (await import('./connect.ts')).connectEmail(settings, host, signal),
  connectToSend: async (settings, host) => (await import('./connect.ts')).connectEmailToSend(settings, host),
}
