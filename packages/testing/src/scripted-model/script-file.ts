import { z } from 'zod'
import type { ScriptedAnswer } from './answer.ts'
import type { ScriptedModelOptions } from './server.ts'

const text = z.union([z.string(), z.array(z.string())])

const answer = z.strictObject({
  text: text.optional(),
  reasoning: text.optional(),
  reasoningField: z.enum(['reasoning_content', 'reasoning']).optional(),
  reasoningDetails: z.array(z.record(z.string(), z.unknown())).optional(),
  toolCalls: z
    .array(
      z.strictObject({
        id: z.string().nullish(),
        name: z.string(),
        arguments: z.union([z.string(), z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
        index: z.int().nullish(),
        extra: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .optional(),
  interleaved: z.boolean().optional(),
  finishReason: z.string().nullish(),
  usage: z.record(z.string(), z.unknown()).nullish(),
  endMark: z.boolean().optional(),
  rawChunks: z.array(z.unknown()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  delayMs: z.number().optional(),
  chunkDelayMs: z.number().optional(),
  pieceBytes: z.int().min(1).optional(),
  fault: z
    .discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('http'),
        status: z.int(),
        message: z.string().optional(),
        errorType: z.string().optional(),
        errorCode: z.string().optional(),
        body: z.unknown().optional(),
        headers: z.record(z.string(), z.string()).optional(),
      }),
      z.strictObject({ type: z.literal('drop'), afterChunks: z.int().optional() }),
      z.strictObject({ type: z.literal('stall'), afterChunks: z.int().optional() }),
      z.strictObject({ type: z.literal('ping-only'), everyMs: z.number() }),
      z.strictObject({ type: z.literal('malformed-frame'), afterChunks: z.int() }),
      z.strictObject({ type: z.literal('error-object'), afterChunks: z.int(), error: z.unknown() }),
    ])
    .optional(),
})

const scriptFile = z.union([
  z.array(answer),
  z.strictObject({
    answers: z.array(answer),
    repeat: z.boolean().optional(),
    apiKey: z.string().optional(),
    strictArguments: z.boolean().optional(),
    models: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])).optional(),
  }),
])

/** A script as a file holds it. */
export interface ScriptFile {
  readonly answers: readonly ScriptedAnswer[]
  readonly options: ScriptedModelOptions
}

/** Reads a script: a list of answers, or an object with `answers` and the server's options. Throws on anything else. */
export function parseScript(json: string): ScriptFile {
  const parsed = scriptFile.safeParse(JSON.parse(json))
  if (!parsed.success) throw new Error(`Not a script:\n${z.prettifyError(parsed.error)}`)
  if (Array.isArray(parsed.data)) return { answers: parsed.data, options: {} }
  const { answers, ...options } = parsed.data
  return { answers, options }
}
