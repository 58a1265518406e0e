import { z } from 'zod'

const id = z.string().regex(/^[\w-]{1,64}$/)
const cachePoint = z.strictObject({ cachePoint: z.strictObject({ type: z.literal('default') }) })
const textBlock = z.strictObject({ text: z.string().regex(/\S/) })

const block = z.union([
  textBlock,
  cachePoint,
  z.strictObject({
    image: z.strictObject({
      format: z.enum(['png', 'jpeg', 'gif', 'webp']),
      source: z.strictObject({ bytes: z.base64() }),
    }),
  }),
  z.strictObject({
    reasoningContent: z.union([
      z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().min(1) }) }),
      z.strictObject({ redactedContent: z.string().min(1) }),
    ]),
  }),
  z.strictObject({
    toolUse: z.strictObject({
      toolUseId: id,
      name: z.string().regex(/^[\w-]{1,64}$/),
      input: z.record(z.string(), z.unknown()),
    }),
  }),
  z.strictObject({ toolResult: z.strictObject({ toolUseId: id, content: z.array(textBlock).min(1) }) }),
])

const message = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })

type Message = z.infer<typeof message>

const request = z.strictObject({
  messages: z.array(message).min(1),
  system: z
    .array(z.union([textBlock, cachePoint]))
    .min(1)
    .optional(),
  inferenceConfig: z.strictObject({ maxTokens: z.int().min(1).optional() }).optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            cachePoint,
            z.strictObject({
              toolSpec: z.strictObject({
                name: z.string().regex(/^[\w-]{1,64}$/),
                description: z.string().min(1),
                inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
              }),
            }),
          ]),
        )
        .min(1),
    })
    .optional(),
  additionalModelRequestFields: z.looseObject({}).optional(),
})

/** What is wrong with a request by the rules of Converse; undefined when all is well. */
export function validateConverseRequest(body: unknown): string | undefined {
  const parsed = request.safeParse(body)
  if (!parsed.success) return z.prettifyError(parsed.error)
  const { messages, toolConfig } = parsed.data
  const count = JSON.stringify(body).split('"cachePoint"').length - 1
  if (count > 4) return `${count} cache points; at most 4 are allowed`
  return alternation(messages) ?? pairing(messages, toolConfig !== undefined)
}

function alternation(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'A conversation must start with a user message.'
  const twice = messages.findIndex((one, at) => one.role === messages[at - 1]?.role)
  if (twice > 0) return `messages.${twice}: roles must alternate`
  return messages.at(-1)?.role === 'assistant' ? 'the last message is of the assistant' : undefined
}

/** Every use has exactly one result in the next message. */
function pairing(messages: readonly Message[], hasTools: boolean): string | undefined {
  for (const [at, one] of messages.entries()) {
    const open = new Set(idsOf(messages[at - 1], 'toolUse'))
    const results = idsOf(one, 'toolResult')
    if ((open.size > 0 || results.length > 0) && !hasTools) {
      return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
    }
    for (const result of results)
      if (!open.delete(result)) return `messages.${at}: no toolUse ${result} in the message before`
    if (open.size > 0) return `messages.${at - 1}: toolUse without toolResult: ${[...open].join(', ')}`
  }
  return undefined
}

function idsOf(one: Message | undefined, kind: 'toolUse' | 'toolResult'): readonly string[] {
  const blocks: readonly Record<string, { readonly toolUseId: string } | undefined>[] = (one?.content ?? []) as never
  return blocks.flatMap((part) => part[kind]?.toolUseId ?? [])
}
