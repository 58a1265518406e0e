import { z } from 'zod'
import { SCOPES } from '../constants.ts'
import { id, requestId as anyRequestId, timestamp } from '../fields.ts'

export const requestId = anyRequestId.describe('That of the request that this answers.')
export const ts = timestamp
export const conversationId = id.describe('The conversation.')
export const runId = id.describe('The run.')
export const scope = z.enum(SCOPES).describe('What it holds for.')
export const scopeId = id.optional().describe('The conversation, where the scope is one.')
export const messageId = id.describe('The draft of the run that it belongs to.')
/** The time of examples. */
export const time = '2026-09-02T18:00:00+00:00'
