import { z } from 'zod'
import { AVATAR_STATES, OUTBOUND_MEDIA_KINDS, PROMPT_KINDS } from './constants.ts'
import { mobileErrorCodes } from './error-codes.ts'
import { base64, id, part } from './fields.ts'

/** What this server can do; a client hides what is not there. */
export const capabilities = z.object({
  text: z.boolean().optional().describe('Text is taken.'),
  voice: z.boolean().optional().describe('Voice messages are taken.'),
  typing: z.boolean().optional().describe('`typing` is sent.'),
  avatar_states: z.array(z.enum(AVATAR_STATES)).optional().describe('The states that `avatar` may name.'),
  media_in: z.boolean().optional().describe('Files are taken.'),
  media_out: z.boolean().optional().describe('Files are sent.'),
  prompts: z.boolean().optional().describe('Cards are sent.'),
  edit: z.boolean().optional().describe('Messages are edited in place.'),
  max_media_bytes: z.int().optional().describe('Largest file that is taken, bytes.'),
  max_text_chars: z.int().optional().describe('Longest text of one `message`.'),
})

/** Access is given. */
export const ready = z
  .object({
    t: z.literal('ready'),
    v: z.int().describe('Version of the protocol.'),
    session: z.string().describe('The conversation of this device; the same after every reconnect.'),
    device: z.record(z.string(), z.unknown()).describe('The device as the server knows it.'),
    avatar_url: z.string().describe('Page of the avatar, for a WebView; empty where there is none.'),
    capabilities: capabilities.describe('What this server can do.'),
  })
  .meta({
    description:
      'Answer to `hello`. What was not acknowledged before follows, oldest first. The avatar is `idle` and nobody writes until it is told otherwise.',
    examples: [
      {
        t: 'ready',
        v: 1,
        session: 'agent:main:mobile:dm:phone-1',
        device: { id: 'phone-1', name: 'Phone' },
        avatar_url: '',
        capabilities: { text: true, edit: true, max_text_chars: 4000 },
      },
    ],
  })

/** A piece of a reply, or a new text for one that is shown. */
export const message = z
  .object({
    t: z.literal('message'),
    id: id.describe(
      'Id of what is shown; all pieces of a reply have the same. A client drops pieces that it has shown.',
    ),
    text: z.string().describe('Text of this piece, in Markdown.'),
    index: z.int().min(0).describe('Number of this piece, from 0.'),
    total: z.int().min(1).describe('How many pieces the reply has.'),
    final: z.boolean().describe('True: the reply ends here. Files of it may follow.'),
    edit: z.boolean().optional().describe('True: replaces all that is shown under this id; further pieces may follow.'),
  })
  .meta({
    description: 'A reply of the agent, in as many pieces as its length needs.',
    examples: [{ t: 'message', id: 'a1', text: 'Hello!', index: 0, total: 1, final: true }],
  })

/** Shown until `stop`, or until a message comes. */
export const typing = z
  .object({ t: z.literal('typing'), stop: z.boolean().optional().describe('True: no longer.') })
  .meta({ description: 'The agent is writing.', examples: [{ t: 'typing' }, { t: 'typing', stop: true }] })

/** Follows the turn. */
export const avatar = z
  .object({ t: z.literal('avatar'), state: z.enum(AVATAR_STATES).describe('The state from now on.') })
  .meta({ description: 'What the avatar does.', examples: [{ t: 'avatar', state: 'thinking' }] })

/** A card that the agent waits for. */
export const prompt = z
  .object({
    t: z.literal('prompt'),
    id: id.describe('Id of the card.'),
    kind: z.enum(PROMPT_KINDS).describe('Consent for a command, for a slash command, or a question.'),
    text: z.string().describe('What is asked.'),
    options: z
      .array(
        z.object({
          id: z.string().describe('Goes back as `option_id`.'),
          label: z.string().describe('For people.'),
          style: z.string().describe('How to show it: `primary`, `default` or `danger`.'),
        }),
      )
      .describe('What can be chosen.'),
    session: z.string().describe('The conversation that it belongs to.'),
    timeout_seconds: z.number().describe('How long the agent waits; then it is a denial or no answer.'),
  })
  .meta({
    description: 'A card: the agent waits for an answer.',
    examples: [
      {
        t: 'prompt',
        id: 'p1',
        kind: 'exec_approval',
        text: 'Run `rm -rf build`?',
        options: [
          { id: 'once', label: 'Once', style: 'primary' },
          { id: 'deny', label: 'Deny', style: 'danger' },
        ],
        session: 'agent:main:mobile:dm:phone-1',
        timeout_seconds: 300,
      },
    ],
  })

/** Every connected client of the session gets it, whoever answered. */
export const promptDone = z
  .object({
    t: z.literal('prompt_done'),
    id: id.describe('Id of the card.'),
    option_id: z.string().optional().describe('What was applied.'),
    expired: z.boolean().describe('True: nobody answered in time.'),
  })
  .meta({
    description: 'A card is closed.',
    examples: [{ t: 'prompt_done', id: 'p1', option_id: 'once', expired: false }],
  })

/** One part of a file of the agent. */
export const media = z
  .object({
    t: z.literal('media'),
    id: id.describe('The same for all parts of one file.'),
    kind: z.enum(OUTBOUND_MEDIA_KINDS).describe('How to show it.'),
    mime: z.string().describe('Media type.'),
    data: base64.describe('This part, in base64.'),
    part: part.describe('Number of this part, from 0.'),
    parts: z.int().min(1).describe('How many there are.'),
    final: z.boolean().describe('True: the last part.'),
    size: z.int().min(0).describe('Size of the whole file, bytes.'),
    filename: z.string().optional().describe('Name of the file.'),
    caption: z.string().optional().describe('What the agent writes with it.'),
    url: z.string().optional().describe('Where to fetch it, if it is served by link.'),
    reply_to: z.string().optional().describe('Id of the message that it answers.'),
  })
  .meta({
    description: 'A file of the agent, in one or more frames of one id.',
    examples: [
      {
        t: 'media',
        id: 'f1',
        kind: 'image',
        mime: 'image/png',
        data: 'iVBORw==',
        part: 0,
        parts: 1,
        final: true,
        size: 4,
      },
    ],
  })

/** `fatal` ends the connection: trying again is pointless. */
export const error = z
  .object({
    t: z.literal('error'),
    code: z.enum(mobileErrorCodes).describe('For programs.'),
    message: z.string().describe('For people.'),
    fatal: z.boolean().describe('True: the connection ends, and trying again is pointless.'),
  })
  .meta({
    description: 'Something was not done.',
    examples: [{ t: 'error', code: 'bad_frame', message: 'text: is empty', fatal: false }],
  })

/** Answer to `ping`. */
export const pong = z
  .object({ t: z.literal('pong'), ts: z.number().describe('As in the `ping`.') })
  .meta({ description: 'Answer to `ping`.', examples: [{ t: 'pong', ts: 1764455000 }] })

export const mobileServerFrame = z
  .discriminatedUnion('t', [ready, message, typing, avatar, prompt, promptDone, media, error, pong])
  .meta({ description: 'A frame from the server to the device. Clients ignore frames that they do not know.' })
