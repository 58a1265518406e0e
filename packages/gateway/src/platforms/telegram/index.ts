import type { Platform } from '../platform.ts'
import { connectTelegram, connectTelegramToSend } from './connect.ts'
import { readSettings } from './settings.ts'
import type { TelegramSettings } from './settings.ts'
import type { TelegramHost } from './take-update.ts'

// What surprises about Telegram: an offset confirms everything before it, so updates are fetched again until they are
// stored; a text of more than 4,096 units comes as several messages, an album as one for each picture; MarkdownV2 refuses
// a text for a single point that is not escaped; who calls during a penalty gets a longer one; the bot's own token is
// part of every URL, so no error's text may be passed on.

/** Telegram, through its Bot API. */
export const telegram: Platform<TelegramSettings, TelegramHost> = {
  name: 'telegram',
  label: 'Telegram',
  variablePrefix: 'TELEGRAM',
  promptHint:
    'You write in a Telegram chat. Keep answers short enough for a phone. Markdown is shown: bold, italic, strikethrough, links, quotes, inline code and code blocks. Tables are not: use lists. Files are sent by MEDIA:/absolute/path in the answer: pictures, videos and sound are shown as such, .ogg files are voice messages, others are documents; ![name](https://…) sends a picture.',
  limits: { maxLength: 4_096, maxFileBytes: 50 * 1024 * 1024 },
  read: readSettings,
  connect: connectTelegram,
  connectToSend: connectTelegramToSend,
}
