import { z } from 'zod'
import {
  APPROVAL_CHOICES,
  ATTACHMENT_KINDS,
  REASONING_CHOICES,
  REASONING_EFFORTS,
  RUN_STATUSES,
  SCOPES,
  TOOL_STATUSES,
} from './constants.ts'
import { phebyErrorCodes } from './error-codes.ts'
import { id, requestId as anyRequestId, timestamp } from './fields.ts'

const requestId = anyRequestId.describe('That of the request that this answers.')
const ts = timestamp
const conversationId = id.describe('The conversation.')
const runId = id.describe('The run.')
const scope = z.enum(SCOPES).describe('What it holds for.')
const scopeId = id.optional().describe('The conversation, where the scope is one.')
const messageId = id.describe('The draft of the run that it belongs to.')

const time = '2026-09-02T18:00:00+00:00'

/** Access is given. */
export const ready = z
  .object({
    type: z.literal('ready'),
    protocol_version: z.int().describe('Version of the protocol.'),
    server: z.literal('pheby'),
    request_id: requestId,
    ts,
  })
  .meta({
    description: 'Answer to `hello`.',
    examples: [{ type: 'ready', protocol_version: 1, server: 'pheby', ts: time }],
  })

/** Answer to `ping`. */
export const pong = z
  .object({ type: z.literal('pong'), request_id: requestId, ts })
  .meta({ description: 'Answer to `ping`.', examples: [{ type: 'pong', ts: time }] })

/** The one shape of everything that was not done. */
export const error = z
  .object({
    type: z.literal('error'),
    request_id: requestId,
    error: z.object({
      code: z.enum(phebyErrorCodes).describe('For programs.'),
      message: z.string().describe('For people.'),
    }),
    ts,
  })
  .meta({
    description: 'Something was not done.',
    examples: [
      {
        type: 'error',
        request_id: 'r1',
        error: { code: 'conversation_not_found', message: 'Conversation not found' },
        ts: time,
      },
    ],
  })

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

/** A file of the agent; its bytes are fetched from `download_path` with the secret. */
export const attachment = z.object({
  attachment_id: id.describe('Says nothing about where the file lies.'),
  filename: z.string().describe('Name to show and to save under.'),
  mime_type: z.string().describe('Media type.'),
  size: z.int().min(0).describe('Size, bytes.'),
  kind: z.enum(ATTACHMENT_KINDS).describe('How to show it.'),
  inline_image: z.boolean().describe('True: safe to show as an image beside the text.'),
  conversation_id: conversationId,
  message_id: messageId.nullable().describe('The draft that it came with; null outside a run.'),
  created_at: timestamp,
  expires_at: timestamp.nullable().describe('From when on it cannot be fetched; null: never.'),
  download_path: z.string().describe('Path on this server, to be fetched with the secret.'),
})

export const attachmentAdded = z
  .object({ type: z.literal('attachment.added'), conversation_id: conversationId, attachment, ts })
  .meta({
    description: 'The agent made a file.',
    examples: [
      {
        type: 'attachment.added',
        conversation_id: 'a1b2',
        attachment: {
          attachment_id: 'e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0',
          filename: 'report.pdf',
          mime_type: 'application/pdf',
          size: 48213,
          kind: 'document',
          inline_image: false,
          conversation_id: 'a1b2',
          message_id: 'draft-8c1f',
          created_at: time,
          expires_at: '2026-09-09T18:00:00+00:00',
          download_path: '/attachments/e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0',
        },
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

/** Only what there is a key for. */
export const modelsSnapshot = z
  .object({
    type: z.literal('models.snapshot'),
    request_id: requestId,
    providers: z.array(
      z.object({
        slug: z.string().describe('Goes back as `provider`.'),
        name: z.string().describe('For people.'),
        is_current: z.boolean().describe('True: its model is used.'),
        models: z.array(z.string()).describe('Models to choose from.'),
        total_models: z.int().min(0).describe('How many it has; more than are listed where the list is cut.'),
      }),
    ),
    current_model: z.string().describe('The model that the next run uses.'),
    current_provider: z.string().describe('Its provider.'),
    scope,
    conversation_id: scopeId,
    supported_reasoning_efforts: z.array(z.enum(REASONING_EFFORTS)).describe('Levels that `reasoning.set` takes.'),
    ts,
  })
  .meta({
    description: 'Answer to `models.list`.',
    examples: [
      {
        type: 'models.snapshot',
        request_id: 'r10',
        providers: [
          {
            slug: 'openrouter',
            name: 'OpenRouter',
            is_current: true,
            models: ['z-ai/glm-5.3-flash', 'anthropic/claude-sonnet-4'],
            total_models: 42,
          },
        ],
        current_model: 'z-ai/glm-5.3-flash',
        current_provider: 'openrouter',
        scope: 'conversation',
        conversation_id: 'a1b2',
        supported_reasoning_efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
        ts: time,
      },
    ],
  })

const model = z.string().describe('Name of the model.')
const provider = z.string().describe('Its provider.')

/** What the next run uses. */
export const modelCurrent = z
  .object({
    type: z.literal('model.current'),
    request_id: requestId,
    model,
    provider,
    scope,
    conversation_id: scopeId,
    ts,
  })
  .meta({
    description: 'Answer to `models.current`.',
    examples: [
      {
        type: 'model.current',
        request_id: 'r11',
        model: 'z-ai/glm-5.3-flash',
        provider: 'openrouter',
        scope: 'conversation',
        conversation_id: 'a1b2',
        ts: time,
      },
    ],
  })

/** The answer carries the `request_id`; the broadcast does not. */
export const modelChanged = z
  .object({
    type: z.literal('model.changed'),
    model,
    provider,
    scope: scope.describe('What it holds for; `global`: the default of all conversations has changed.'),
    conversation_id: scopeId,
    request_id: requestId,
  })
  .meta({
    description: 'Answer to `model.set`; goes to all clients too, without `request_id`.',
    examples: [
      {
        type: 'model.changed',
        model: 'anthropic/claude-sonnet-4',
        provider: 'anthropic',
        scope: 'global',
        request_id: 'r12',
      },
    ],
  })

/** What the next run uses. */
export const reasoningSnapshot = z
  .object({
    type: z.literal('reasoning.snapshot'),
    request_id: requestId,
    effort: z.enum(REASONING_CHOICES).nullable().describe("The level; null: the provider's own."),
    enabled: z.boolean().describe('False: thinking is off.'),
    scope,
    conversation_id: scopeId,
    supported_efforts: z.array(z.enum(REASONING_CHOICES)).describe('What `reasoning.set` takes.'),
    ts,
  })
  .meta({
    description: 'Answer to `reasoning.current`.',
    examples: [
      {
        type: 'reasoning.snapshot',
        request_id: 'r13',
        effort: 'medium',
        enabled: true,
        scope: 'conversation',
        conversation_id: 'a1b2',
        supported_efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
        ts: time,
      },
    ],
  })

/** The answer carries the `request_id`; the broadcast does not. */
export const reasoningChanged = z
  .object({
    type: z.literal('reasoning.changed'),
    effort: z.enum(REASONING_CHOICES).describe('The level from now on.'),
    scope,
    conversation_id: scopeId,
    request_id: requestId,
  })
  .meta({
    description: 'Answer to `reasoning.set`; goes to all clients too, without `request_id`.',
    examples: [
      { type: 'reasoning.changed', effort: 'high', scope: 'conversation', conversation_id: 'a1b2', request_id: 'r14' },
    ],
  })

export const phebyEvent = z
  .discriminatedUnion('type', [
    ready,
    pong,
    error,
    conversationSnapshot,
    conversationCreated,
    conversationUpdated,
    conversationHistory,
    conversationRenamed,
    conversationDeleted,
    runAccepted,
    messageStart,
    messageDelta,
    messageComplete,
    runFinished,
    toolEvent,
    approvalRequest,
    approvalResolved,
    clarifyRequest,
    clarifyResolved,
    attachmentAdded,
    modelsSnapshot,
    modelCurrent,
    modelChanged,
    reasoningSnapshot,
    reasoningChanged,
  ])
  .meta({ description: 'A frame from the server to the client. Clients ignore types that they do not know.' })
