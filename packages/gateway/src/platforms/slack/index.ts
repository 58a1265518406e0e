import type { Platform } from '../platform.ts'
import { connectSlack, connectSlackToSend } from './connect.ts'
import type { SlackHost } from './connect.ts'
import { mrkdwnLength } from './mrkdwn.ts'
import { readSettings } from './settings.ts'
import type { SlackSettings } from './settings.ts'

// What surprises about Slack: an event wants its answer within three seconds, and comes again until it has one; a mention
// comes twice, as `message` and as `app_mention`; messages are named by their time, in their channel alone; a text that is
// too long is cut without a word, and an edit takes a tenth of what a message does; a file that the token may not see is
// answered with a page to sign in, and status 200; every method has a limit of its own.

/** Slack, through Socket Mode or the Events API. */
export const slack: Platform<SlackSettings, SlackHost> = {
  name: 'slack',
  label: 'Slack',
  variablePrefix: 'SLACK',
  promptHint:
    'You write in Slack. Markdown is shown: bold, italic, strikethrough, links, quotes, inline code and code blocks; headings become bold lines. Tables are not: use lists or a code block. `<@U…>` mentions the person of that id. Files are sent by MEDIA:/absolute/path in the answer, pictures also by ![name](https://…).',
  // Longer messages are taken, but only so much can be edited, and Slack itself cuts the longer ones into several.
  limits: { maxLength: 3_990, lengthOf: mrkdwnLength },
  commandStart: '/hermes ',
  read: readSettings,
  connect: connectSlack,
  connectToSend: connectSlackToSend,
}
