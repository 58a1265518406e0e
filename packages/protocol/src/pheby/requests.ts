import { z } from 'zod'
import {
  APPROVAL_CHOICES,
  DEFAULT_HISTORY_MESSAGES,
  MAX_HISTORY_MESSAGES,
  MAX_TEXT_CHARS,
  REASONING_CHOICES,
} from './constants.ts'
import { chatText, conversationName, id, requestId } from './fields.ts'

const conversationId = id.describe('The conversation.')
const scopeId = id.optional().describe('With it: this conversation. Without: the default of all.')

/** Anything else as the first frame ends the connection. */
export const hello = z
  .object({
    type: z.literal('hello'),
    secret: z.string().describe("The agent's PHEBY_SECRET."),
    protocol_version: z.number().describe('Version of the protocol that the client speaks.'),
    request_id: requestId,
  })
  .meta({
    description:
      'The first frame, within 10 seconds. Answered by `ready`, or by `error` and the end of the connection.',
    examples: [{ type: 'hello', secret: '…', protocol_version: 1, request_id: 'r0' }],
  })

/** Beside the WebSocket's own pings, which a browser cannot send. */
export const ping = z
  .object({ type: z.literal('ping'), request_id: requestId })
  .meta({ description: 'Asks for a sign of life; answered by `pong`.', examples: [{ type: 'ping' }] })

/** Newest activity first. */
export const conversationList = z.object({ type: z.literal('conversation.list'), request_id: requestId }).meta({
  description: 'Asks for all conversations; answered by `conversation.snapshot`.',
  examples: [{ type: 'conversation.list', request_id: 'r1' }],
})

/** The id is the server's. */
export const conversationCreate = z
  .object({ type: z.literal('conversation.create'), name: conversationName.optional(), request_id: requestId })
  .meta({
    description:
      'Makes a conversation; answered by `conversation.created`, and `conversation.updated` goes to all clients.',
    examples: [{ type: 'conversation.create', name: 'New chat', request_id: 'r2' }],
  })

/** What a client shows after a reconnect is what this returns. */
export const conversationOpen = z
  .object({
    type: z.literal('conversation.open'),
    conversation_id: conversationId,
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(
        `Messages to return, the newest ones: ${DEFAULT_HISTORY_MESSAGES} when absent, never more than ${MAX_HISTORY_MESSAGES}.`,
      ),
    request_id: requestId,
  })
  .meta({
    description: 'Asks for the history and what is going on; answered by `conversation.history`.',
    examples: [{ type: 'conversation.open', conversation_id: 'a1b2', limit: 200, request_id: 'r3' }],
  })

/** Names need not be unique. */
export const conversationRename = z
  .object({
    type: z.literal('conversation.rename'),
    conversation_id: conversationId,
    name: conversationName.min(1),
    request_id: requestId,
  })
  .meta({
    description: 'Gives a conversation another name; answered by `conversation.renamed`, which all clients get too.',
    examples: [{ type: 'conversation.rename', conversation_id: 'a1b2', name: 'Renamed', request_id: 'r4' }],
  })

/** A run that is going on is cancelled first. */
export const conversationDelete = z
  .object({ type: z.literal('conversation.delete'), conversation_id: conversationId, request_id: requestId })
  .meta({
    description: 'Deletes a conversation with its transcript. Its attachments end on their own schedule.',
    examples: [{ type: 'conversation.delete', conversation_id: 'a1b2', request_id: 'r5' }],
  })

/** One run at a time in one conversation. */
export const chatSend = z
  .object({
    type: z.literal('chat.send'),
    conversation_id: conversationId,
    text: chatText.describe(`What the person writes: at most ${MAX_TEXT_CHARS} characters, not only white space.`),
    request_id: requestId,
  })
  .meta({
    description:
      'Sends a message and starts a run; answered by `run.accepted`, or `run_active` while another one runs.',
    examples: [{ type: 'chat.send', conversation_id: 'a1b2', text: "What's the weather?", request_id: 'r6' }],
  })

/** What the run has done so far stays in the transcript. */
export const runCancel = z
  .object({
    type: z.literal('run.cancel'),
    conversation_id: conversationId,
    run_id: id.describe('The run that is to stop.'),
    request_id: requestId,
  })
  .meta({
    description: 'Stops a run; answered by its one `run.finished` with the status `cancelled`, or by `not_found`.',
    examples: [{ type: 'run.cancel', conversation_id: 'a1b2', run_id: '8c1f', request_id: 'r7' }],
  })

/** The first answer counts. */
export const approvalRespond = z
  .object({
    type: z.literal('approval.respond'),
    approval_id: id.describe('The approval that is answered.'),
    choice: z
      .enum(APPROVAL_CHOICES)
      .describe('This action; this kind in this conversation; this kind for ever; or not, and not to be tried again.'),
    reason: z.string().max(4000).optional().describe('Why not; the agent is told.'),
    request_id: requestId,
  })
  .meta({
    description: 'Decides about an action; answered by `approval.resolved`, which all clients get.',
    examples: [{ type: 'approval.respond', approval_id: '3d4e5f6070a1', choice: 'once', request_id: 'r8' }],
  })

/** Free text is always taken. */
export const clarifyRespond = z
  .object({
    type: z.literal('clarify.respond'),
    clarify_id: id.describe('The question that is answered.'),
    response: chatText.describe('One of the choices, or free text.'),
    request_id: requestId,
  })
  .meta({
    description: 'Answers a question of the agent; answered by `clarify.resolved`, which all clients get.',
    examples: [{ type: 'clarify.respond', clarify_id: 'c1a2b3d4e5', response: 'production', request_id: 'r9' }],
  })

/** Nothing is listed that there is no key for. */
export const modelsList = z
  .object({ type: z.literal('models.list'), conversation_id: scopeId, request_id: requestId })
  .meta({
    description: 'Asks for the providers that can be used, and their models; answered by `models.snapshot`.',
    examples: [{ type: 'models.list', conversation_id: 'a1b2', request_id: 'r10' }],
  })

/** What the next run will use. */
export const modelsCurrent = z
  .object({ type: z.literal('models.current'), conversation_id: scopeId, request_id: requestId })
  .meta({
    description: 'Asks which model is used; answered by `model.current`.',
    examples: [{ type: 'models.current', conversation_id: 'a1b2', request_id: 'r11' }],
  })

/** Takes effect with the next run. */
export const modelSet = z
  .object({
    type: z.literal('model.set'),
    model: z.string().trim().min(1).max(300).describe('Name of the model.'),
    provider: z.string().trim().min(1).max(100).optional().describe("Its provider; the current one's when absent."),
    conversation_id: scopeId,
    request_id: requestId,
  })
  .meta({
    description: 'Changes the model; answered by `model.changed`, which all clients get too.',
    examples: [
      {
        type: 'model.set',
        model: 'anthropic/claude-sonnet-4',
        provider: 'anthropic',
        conversation_id: 'a1b2',
        request_id: 'r12',
      },
    ],
  })

/** What the next run will use. */
export const reasoningCurrent = z
  .object({ type: z.literal('reasoning.current'), conversation_id: scopeId, request_id: requestId })
  .meta({
    description: 'Asks for the reasoning effort; answered by `reasoning.snapshot`.',
    examples: [{ type: 'reasoning.current', conversation_id: 'a1b2', request_id: 'r13' }],
  })

/** A level that the model does not have is told by the provider with the next run. */
export const reasoningSet = z
  .object({
    type: z.literal('reasoning.set'),
    effort: z.enum(REASONING_CHOICES).describe('The level; `none` turns thinking off.'),
    conversation_id: scopeId,
    request_id: requestId,
  })
  .meta({
    description: 'Changes the reasoning effort; answered by `reasoning.changed`, which all clients get too.',
    examples: [{ type: 'reasoning.set', effort: 'high', conversation_id: 'a1b2', request_id: 'r14' }],
  })

export const phebyRequest = z
  .discriminatedUnion('type', [
    hello,
    ping,
    conversationList,
    conversationCreate,
    conversationOpen,
    conversationRename,
    conversationDelete,
    chatSend,
    runCancel,
    approvalRespond,
    clarifyRespond,
    modelsList,
    modelsCurrent,
    modelSet,
    reasoningCurrent,
    reasoningSet,
  ])
  .meta({ description: 'A frame from the client to the server.' })
