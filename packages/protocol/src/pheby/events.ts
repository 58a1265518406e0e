import { z } from 'zod'
import { attachmentAdded } from './events/attachments.ts'
import { runAccepted, messageStart, messageDelta, messageComplete, runFinished, toolEvent } from './events/chat.ts'
import { ready, pong, error } from './events/connection.ts'
import {
  conversationSnapshot,
  conversationCreated,
  conversationUpdated,
  conversationRenamed,
  conversationDeleted,
  conversationHistory,
} from './events/conversations.ts'
import { approvalRequest, approvalResolved, clarifyRequest, clarifyResolved } from './events/decisions.ts'
import { modelsSnapshot, modelCurrent, modelChanged, reasoningSnapshot, reasoningChanged } from './events/settings.ts'

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
