import { z } from 'zod'
import { phebyErrorCodes } from '../error-codes.ts'
import { requestId, ts, time } from './fields.ts'

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
