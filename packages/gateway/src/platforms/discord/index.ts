import type { Platform } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { connectDiscord, connectDiscordToSend } from './connect.ts'
import { lengthOnDiscord } from './markdown.ts'
import { readSettings } from './settings.ts'
import type { DiscordSettings } from './settings.ts'

// What surprises about Discord: a thread that starts at a message has that message's id and is a channel of its own, while
// the message stays in the parent; nothing is given twice unless a session is resumed, so what came while no session could
// be resumed has to be read from the channels; a call of a command must be answered within three seconds; a message with
// the nonce of another is that one again; display names are not unique, so nobody is let in by one.

/** What of the gateway it needs. */
export type DiscordHost = Pick<FaceHost, 'access'> &
  Parameters<Platform['connect']>[1] & {
    /** Without it, skills are no slash commands. */
    readonly chats?: Pick<FaceHost['chats'], 'live'>
  }

/** Discord, through its API and gateway, version 10. */
export const discord: Platform<DiscordSettings, DiscordHost> = {
  name: 'discord',
  label: 'Discord',
  variablePrefix: 'DISCORD',
  promptHint:
    'You write in a Discord chat. Markdown is shown: bold, italic, underline, strikethrough, headings of three levels, lists, links, quotes, ||spoilers||, inline code and code blocks. Tables are not: use lists or a code block. Files are sent by MEDIA:/absolute/path in the answer: pictures and videos are shown, .ogg files are voice messages, others are attachments.',
  limits: { maxLength: 2_000, lengthOf: lengthOnDiscord },
  read: readSettings,
  connect: connectDiscord,
  connectToSend: connectDiscordToSend,
}
