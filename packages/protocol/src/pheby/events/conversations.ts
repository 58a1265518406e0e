import { z } from 'zod'
import { id, timestamp } from '../fields.ts'
import { toolEvent, activeRun } from './chat.ts'
import { approvalRequest, clarifyRequest } from './decisions.ts'
import { attachment } from './attachments.ts'
import { requestId, conversationId, time } from './fields.ts'

/** Newest activity first. */
export const conversationSnapshot = z
  .object({
    type: z.literal('conversation.snapshot'),
    request_id: requestId,
    conversations: z.array(
      z.object({
        conversation_id: conversationId,
        name: z.string().describe('What it is called.'),
        session_id: z.string().nullable().describe('The session of the agent; null before the first message.'),
        last_active: timestamp.nullable().describe('Time of the last activity; null when there was none.'),
        source: z.string().describe('Where it comes from: `hermes`.'),
      }),
    ),
  })
  .meta({
    description: 'Answer to `conversation.list`.',
    examples: [
      {
        type: 'conversation.snapshot',
        request_id: 'r1',
        conversations: [
          {
            conversation_id: '9f1c',
            name: 'Project X',
            session_id: '20260902_101112_ab12cd34',
            last_active: time,
            source: 'hermes',
          },
        ],
      },
    ],
  })

const named = { conversation_id: conversationId, name: z.string().describe('What it is called.') }

/** To the client that made it. */
export const conversationCreated = z
  .object({ type: z.literal('conversation.created'), ...named, request_id: requestId })
  .meta({
    description: 'Answer to `conversation.create`.',
    examples: [{ type: 'conversation.created', conversation_id: 'a1b2', name: 'New chat', request_id: 'r2' }],
  })

/** To all clients. */
export const conversationUpdated = z.object({ type: z.literal('conversation.updated'), ...named }).meta({
  description: 'A conversation is new or has changed; goes to all clients.',
  examples: [{ type: 'conversation.updated', conversation_id: 'a1b2', name: 'New chat' }],
})

/** The answer carries the `request_id`; the broadcast does not. */
export const conversationRenamed = z
  .object({ type: z.literal('conversation.renamed'), ...named, request_id: requestId })
  .meta({
    description: 'Answer to `conversation.rename`; goes to all clients too, without `request_id`.',
    examples: [{ type: 'conversation.renamed', conversation_id: 'a1b2', name: 'Renamed', request_id: 'r4' }],
  })

/** The answer carries the `request_id`; the broadcast does not. */
export const conversationDeleted = z
  .object({ type: z.literal('conversation.deleted'), conversation_id: conversationId, request_id: requestId })
  .meta({
    description: 'Answer to `conversation.delete`; goes to the other clients too, without `request_id`.',
    examples: [{ type: 'conversation.deleted', conversation_id: 'a1b2', request_id: 'r5' }],
  })

/** Takes the place of everything that a client knew of the conversation. */
export const conversationHistory = z
  .object({
    type: z.literal('conversation.history'),
    conversation_id: conversationId,
    request_id: requestId,
    messages: z
      .array(
        z.object({
          message_id: id.describe('Id of the message.'),
          role: z.enum(['user', 'assistant']).describe('Who said it.'),
          text: z.string().describe('What was said.'),
          ts: timestamp.nullable().describe('When; null where it is not known.'),
        }),
      )
      .describe('The transcript, oldest first.'),
    attachments: z.array(attachment).describe('Files that can still be fetched.'),
    run: activeRun.nullable().describe('The run that is going on.'),
    tools: z
      .array(toolEvent)
      .describe('The latest event of each tool call of the run that is going on, or of the last one.'),
    approvals: z.array(approvalRequest).describe('Approvals that are open.'),
    clarifications: z.array(clarifyRequest).describe('Questions that are open.'),
  })
  .meta({
    description: 'Answer to `conversation.open`: replace local state with it, then go on with live events.',
    examples: [
      {
        type: 'conversation.history',
        conversation_id: 'a1b2',
        request_id: 'r3',
        messages: [
          { message_id: 'm12', role: 'user', text: 'hey', ts: time },
          { message_id: 'm13', role: 'assistant', text: 'hi!', ts: null },
        ],
        attachments: [],
        run: null,
        tools: [],
        approvals: [],
        clarifications: [],
      },
    ],
  })
