import { z } from 'zod'
import { APPROVAL_CHOICES } from '../constants.ts'
import { id } from '../fields.ts'
import { requestId, ts, conversationId, runId, time } from './fields.ts'

/** The agent waits. Without an answer in time it is a denial. */
export const approvalRequest = z
  .object({
    type: z.literal('approval.request'),
    approval_id: id.describe('Goes back with the answer.'),
    session_key: z.string().describe('Key of the conversation in the gateway.'),
    conversation_id: conversationId,
    run_id: runId.optional().describe('The run that waits, when there is one.'),
    command: z.string().describe('What is to be done.'),
    description: z.string().describe('Why it needs consent.'),
    choices: z.array(z.enum(APPROVAL_CHOICES)).describe('What can be answered.'),
    ts,
  })
  .meta({
    description: 'The agent waits for consent.',
    examples: [
      {
        type: 'approval.request',
        approval_id: '3d4e5f6070a1',
        session_key: 'agent:main:pheby:dm:a1b2',
        conversation_id: 'a1b2',
        run_id: '8c1f',
        command: 'rm -rf /tmp/build-output',
        description: 'Destructive shell command (rm -rf)',
        choices: ['once', 'session', 'always', 'deny'],
        ts: time,
      },
    ],
  })

/** One event for all clients; it carries the responder's `request_id`. */
export const approvalResolved = z
  .object({
    type: z.literal('approval.resolved'),
    approval_id: id.describe('The approval.'),
    choice: z.enum(APPROVAL_CHOICES).describe('What holds; `deny` where nobody answered in time.'),
    accepted: z.boolean().describe('True: an answer of a client was taken. False: it expired.'),
    request_id: requestId.describe('That of the client that answered.'),
  })
  .meta({
    description: 'An approval is closed; goes to all clients.',
    examples: [
      { type: 'approval.resolved', approval_id: '3d4e5f6070a1', choice: 'once', accepted: true, request_id: 'r8' },
    ],
  })

/** The agent waits for an answer. */
export const clarifyRequest = z
  .object({
    type: z.literal('clarify.request'),
    clarify_id: id.describe('Goes back with the answer.'),
    session_key: z.string().describe('Key of the conversation in the gateway.'),
    conversation_id: conversationId,
    run_id: runId.optional().describe('The run that waits, when there is one.'),
    question: z.string().describe('What is asked.'),
    choices: z.array(z.string()).nullable().describe('What can be chosen; null: free text alone.'),
    allow_free_text: z.boolean().describe('Free text is taken; always true.'),
    ts,
  })
  .meta({
    description: 'The agent asks something.',
    examples: [
      {
        type: 'clarify.request',
        clarify_id: 'c1a2b3d4e5',
        session_key: 'agent:main:pheby:dm:a1b2',
        conversation_id: 'a1b2',
        run_id: '8c1f',
        question: 'Deploy to staging or production?',
        choices: ['staging', 'production'],
        allow_free_text: true,
        ts: time,
      },
    ],
  })

/** One event for all clients; it carries the responder's `request_id`. */
export const clarifyResolved = z
  .object({
    type: z.literal('clarify.resolved'),
    clarify_id: id.describe('The question.'),
    accepted: z.boolean().describe('True: an answer of a client was taken. False: it expired.'),
    request_id: requestId.describe('That of the client that answered.'),
  })
  .meta({
    description: 'A question is closed; goes to all clients.',
    examples: [{ type: 'clarify.resolved', clarify_id: 'c1a2b3d4e5', accepted: true, request_id: 'r9' }],
  })
