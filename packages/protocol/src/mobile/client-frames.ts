import { z } from 'zod'
import { AUDIO_FORMATS, INBOUND_MEDIA_KINDS, MAX_MEDIA_PARTS, MEDIA_CHUNK_BYTES } from './constants.ts'
import { base64, id, part } from './fields.ts'

/** Who is there, and on which device. Anything else as the first frame ends the connection. */
export const hello = z
  .object({
    t: z.literal('hello'),
    v: z.int().describe('Version of the protocol that the client speaks.'),
    token: z.string().describe("The agent's MOBILE_TOKEN. It goes here and never into the address."),
    device: z
      .object({
        id: id.describe('Stays the same for this device: its session, pairing and undelivered messages hang on it.'),
        name: z.string().max(200).default('').describe('For people, as in the list of paired devices.'),
        platform: z.string().max(100).default('').describe('What it runs on: `android`, `python`, `web`.'),
        app_version: z.string().max(100).default('').describe('Version of the app.'),
      })
      .describe('The device.'),
    user: z
      .object({
        id: z.string().max(200).optional().describe('Account of the person in the app.'),
        name: z.string().max(200).optional().describe('What to call the person.'),
        locale: z.string().max(100).optional().describe('Language, as in `de-AT`.'),
        tz: z.string().max(100).optional().describe('Time zone, as in `Europe/Vienna`.'),
      })
      .default({})
      .describe('The person.'),
  })
  .meta({
    description:
      'The first frame: who is there. Answered by `ready`, or by a fatal `error` and the end of the connection.',
    examples: [
      {
        t: 'hello',
        v: 1,
        token: '…',
        device: { id: 'phone-1', name: 'Phone', platform: 'android', app_version: '1.0.0' },
        user: { name: 'Ada', tz: 'Europe/London' },
      },
    ],
  })

/** What the person writes. */
export const text = z
  .object({
    t: z.literal('text'),
    id: id.describe('Made by the client. The same id from the same device is a duplicate and is not run again.'),
    text: z
      .string()
      .refine((text) => text.trim() !== '', { error: 'is empty' })
      .describe('What the person wrote; not only white space.'),
  })
  .meta({ description: 'What the person writes.', examples: [{ t: 'text', id: 'm1', text: 'hello' }] })

/** A voice message in one frame; a longer one goes as `media` of the kind `audio`. */
export const audio = z
  .object({
    t: z.literal('audio'),
    id: id.describe('Made by the client, as in `text`.'),
    format: z.enum(AUDIO_FORMATS).describe('Form of the recording.'),
    data: base64.min(1).describe('The recording, in base64.'),
    text: z.string().optional().describe('What was said, where the client knows it; else the server transcribes.'),
  })
  .meta({
    description: 'A voice message.',
    examples: [{ t: 'audio', id: 'm2', format: 'ogg', data: 'T2dnUw==', text: 'what time is it' }],
  })

/** Nothing is kept of it. */
export const typing = z
  .object({ t: z.literal('typing') })
  .meta({ description: 'The person is typing.', examples: [{ t: 'typing' }] })

/** Not the ping of the WebSocket, which a browser cannot send. */
export const ping = z
  .object({ t: z.literal('ping'), ts: z.number().describe('Comes back in `pong`.') })
  .meta({ description: 'Asks for a sign of life; answered by `pong`.', examples: [{ t: 'ping', ts: 1764455000 }] })

/** Ends the redelivery of what it names. */
export const ack = z
  .object({ t: z.literal('ack'), id: id.describe('Id of a `message`, `media` or `prompt` of the server.') })
  .meta({
    description: 'The message was shown: the server does not send it again after a reconnect.',
    examples: [{ t: 'ack', id: 'a1' }],
  })

/** Answer to a card. A word that is no option of it becomes the safe one. */
export const prompt = z
  .object({
    t: z.literal('prompt'),
    prompt_id: id.describe('Id of the `prompt` that is answered.'),
    option_id: z.string().max(200).optional().describe('Id of one of its options.'),
    text: z.string().optional().describe('Free answer to a clarification, with the option `other` or alone.'),
  })
  .refine((frame) => frame.option_id !== undefined || frame.text !== undefined, {
    error: 'one of option_id and text is needed',
    path: ['option_id'],
  })
  .meta({
    description: 'Answer to a card; at least one of `option_id` and `text` is there.',
    examples: [
      { t: 'prompt', prompt_id: 'p1', option_id: 'once' },
      { t: 'prompt', prompt_id: 'p2', option_id: 'other', text: 'the third one' },
    ],
  })

/** One part of a file. Parts may come in any order; a repeated part is ignored. */
export const media = z
  .object({
    t: z.literal('media'),
    id: id.describe('Made by the client; the same for all parts of one file.'),
    kind: z.enum(INBOUND_MEDIA_KINDS).describe('What the file is.'),
    mime: z.string().max(200).describe('Media type, as in `image/png`.'),
    data: base64.describe(
      `This part, in base64: at most ${MEDIA_CHUNK_BYTES} bytes before it in what our clients send.`,
    ),
    part: part.max(MAX_MEDIA_PARTS - 1).describe('Number of this part, from 0.'),
    parts: z.int().min(1).max(MAX_MEDIA_PARTS).describe('How many there are.'),
    filename: z.string().max(1000).optional().describe('Name of the file, without folders.'),
    caption: z.string().optional().describe('What the person writes with it.'),
  })
  .refine((frame) => frame.part < frame.parts, { error: 'is not below parts', path: ['part'] })
  .meta({
    description: 'A file, in one or more frames of one id. The message runs when all of them are there.',
    examples: [
      {
        t: 'media',
        id: 'm3',
        kind: 'image',
        mime: 'image/png',
        data: 'iVBORw==',
        part: 0,
        parts: 1,
        filename: 'a.png',
      },
    ],
  })

export const mobileClientFrame = z
  .discriminatedUnion('t', [hello, text, audio, typing, ping, ack, prompt, media])
  .meta({ description: 'A frame from the device to the server.' })
