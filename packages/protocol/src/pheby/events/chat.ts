import { z } from 'zod'
import { RUN_STATUSES, TOOL_STATUSES } from '../constants.ts'
import { id } from '../fields.ts'
import { requestId, ts, conversationId, runId, time } from './fields.ts'

/** The server took the message. */
export const runAccepted = z
  .object({ type: z.literal('run.accepted'), conversation_id: conversationId, run_id: runId, request_id: requestId })
  .meta({
    description:
      'Answer to `chat.send`: a run begins. Runs that no request began (scheduled jobs) have no `request_id`.',
    examples: [{ type: 'run.accepted', conversation_id: 'a1b2', run_id: '8c1f', request_id: 'r6' }],
  })

/** Always follows `run.accepted`. */
export const messageStart = z
  .object({
    type: z.literal('message.start'),
    conversation_id: conversationId,
    run_id: runId,
    message_id: id.describe('Id of the draft.'),
  })
  .meta({
    description: 'An answer begins.',
    examples: [{ type: 'message.start', conversation_id: 'a1b2', run_id: '8c1f', message_id: 'draft-8c1f' }],
  })

/** Drafts may be left out when a client reads slowly: the next one holds all of it. */
export const messageDelta = z
  .object({
    type: z.literal('message.delta'),
    conversation_id: conversationId,
    message_id: id.describe('Id of the draft.'),
    text: z.string().describe('All of the draft so far; it takes the place of what is shown.'),
    ts,
  })
  .meta({
    description: 'The draft so far.',
    examples: [
      {
        type: 'message.delta',
        conversation_id: 'a1b2',
        message_id: 'draft-8c1f',
        text: "It's currently 27°C…",
        ts: time,
      },
    ],
  })

/** Supersedes the draft. */
export const messageComplete = z
  .object({
    type: z.literal('message.complete'),
    conversation_id: conversationId,
    message_id: id.describe('Id of the draft, or of a message that had none.'),
    text: z.string().describe('The whole text.'),
    kind: z.literal('notice').optional().describe('With it: what the gateway tells, not part of the conversation.'),
    ts,
  })
  .meta({
    description: 'The answer, or a notice of the gateway.',
    examples: [
      {
        type: 'message.complete',
        conversation_id: 'a1b2',
        message_id: 'draft-8c1f',
        text: 'It is 27 °C and sunny.',
        ts: time,
      },
    ],
  })

/** Exactly one for every `run.accepted`, and the last of its run. */
export const runFinished = z
  .object({
    type: z.literal('run.finished'),
    conversation_id: conversationId,
    run_id: runId,
    status: z.enum(RUN_STATUSES).describe('How it ended.'),
    error: z.string().optional().describe('What went wrong, where it failed.'),
    request_id: requestId.describe('That of the `run.cancel` that ended it.'),
  })
  .meta({
    description: 'The run has ended.',
    examples: [{ type: 'run.finished', conversation_id: 'a1b2', run_id: '8c1f', status: 'completed' }],
  })

/** What the agent does; never part of the text. */
export const toolEvent = z
  .object({
    type: z.literal('tool.event'),
    conversation_id: conversationId,
    run_id: runId.optional().describe('The run, when there is one.'),
    tool_call_id: id.describe('The same in all events of one call.'),
    tool_name: z.string().describe('Name of the tool.'),
    status: z.enum(TOOL_STATUSES).describe('How far it is.'),
    args_redacted: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What the tool was called with, without secrets; with `running` alone.'),
    duration_ms: z.int().min(0).nullable().optional().describe('How long it took, ms; with the last event of a call.'),
    error: z.string().optional().describe('What went wrong, cut off; with `failed` alone.'),
    ts,
  })
  .meta({
    description: 'A tool runs or has ended.',
    examples: [
      {
        type: 'tool.event',
        conversation_id: 'a1b2',
        run_id: '8c1f',
        tool_call_id: 't-1a2b3c4d5e6f',
        tool_name: 'web_search',
        status: 'running',
        args_redacted: { query: 'cats' },
        ts: time,
      },
    ],
  })

/** A run that is going on, in a snapshot. */
export const activeRun = z.object({
  run_id: runId,
  message_id: id.describe('Id of its draft.'),
  status: z.literal('running'),
  text: z.string().describe('The draft so far.'),
})
