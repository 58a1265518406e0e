import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'

const text = z.string().nullish()

/** A file of a message. */
export const slackFile = lazily(() =>
  z.looseObject({
    id: z.string(),
    name: text,
    mimetype: text,
    size: z.number().nullish(),
    mode: text,
    subtype: text,
    is_external: z.boolean().nullish(),
    file_access: text,
    url_private: text,
    url_private_download: text,
  }),
)

export type SlackFile = z.infer<ReturnType<typeof slackFile>>

/** A message that is shown within another one. */
const attachment = lazily(() =>
  z.looseObject({ text, fallback: text, author_name: text, is_share: z.boolean().nullish() }),
)

/** https://docs.slack.dev/reference/events/message */
export const messageEvent = lazily(() =>
  z.looseObject({
    type: z.literal('message'),
    subtype: text,
    hidden: z.boolean().nullish(),
    channel: z.string(),
    channel_type: text,
    user: text,
    bot_id: text,
    text,
    ts: z.string(),
    thread_ts: text,
    parent_user_id: text,
    files: z.array(slackFile()).nullish(),
    attachments: z.array(attachment()).nullish(),
  }),
)

export type MessageEvent = z.infer<ReturnType<typeof messageEvent>>

/** https://docs.slack.dev/reference/events/assistant_thread_started */
export const assistantEvent = lazily(() =>
  z.looseObject({
    type: z.enum(['assistant_thread_started', 'assistant_thread_context_changed']),
    assistant_thread: z.looseObject({
      user_id: text,
      channel_id: z.string(),
      thread_ts: z.string(),
      context: z.looseObject({ channel_id: text }).nullish(),
    }),
  }),
)

/** What an event comes in. */
export const eventWrapper = lazily(() =>
  z.looseObject({
    team_id: text,
    authorizations: z.array(z.looseObject({ team_id: text })).nullish(),
    event: z.looseObject({ type: z.string() }),
  }),
)

/** https://docs.slack.dev/interactivity/implementing-slash-commands */
export const commandPayload = lazily(() =>
  z.looseObject({
    command: z.string(),
    text: z.string().default(''),
    team_id: text,
    channel_id: z.string(),
    channel_name: text,
    user_id: z.string(),
    trigger_id: z.string(),
    response_url: text,
  }),
)

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export const pressPayload = lazily(() =>
  z.looseObject({
    type: z.literal('block_actions'),
    team: z.looseObject({ id: z.string() }).nullish(),
    user: z.looseObject({ id: z.string() }),
    channel: z.looseObject({ id: z.string() }),
    actions: z.array(z.looseObject({ value: text })).min(1),
  }),
)
