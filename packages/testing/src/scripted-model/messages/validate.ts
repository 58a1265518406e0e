import { z } from 'zod'

const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).optional()
const id = z.string().regex(/^[\w-]+$/)
const textBlock = z.strictObject({ type: z.literal('text'), text: z.string().regex(/\S/), cache_control: cacheControl })

const block = z.discriminatedUnion('type', [
  textBlock,
  z.strictObject({
    type: z.literal('image'),
    source: z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
      data: z.base64(),
    }),
    cache_control: cacheControl,
  }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) }),
  z.strictObject({
    type: z.literal('tool_use'),
    id,
    name: z.string().regex(/^[\w-]{1,128}$/),
    input: z.record(z.string(), z.unknown()),
    cache_control: cacheControl,
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: id,
    content: z.union([z.string(), z.array(z.looseObject({ type: z.enum(['text', 'image']) }))]),
    is_error: z.boolean().optional(),
    cache_control: cacheControl,
  }),
])

type Block = z.infer<typeof block>

const message = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string().regex(/\S/), z.array(block).min(1)]),
})

const request = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  system: z.union([z.string(), z.array(textBlock).min(1)]).optional(),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.looseObject({
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        cache_control: cacheControl,
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
      z.strictObject({ type: z.literal('adaptive') }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  output_config: z.looseObject({ effort: z.enum(['low', 'medium', 'high', 'max']).optional() }).optional(),
  temperature: z.number().optional(),
  stream: z.boolean().optional(),
  metadata: z.looseObject({}).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  speed: z.enum(['standard', 'fast']).optional(),
})

type Request = z.infer<typeof request>
type Message = Request['messages'][number]

/** What is wrong with a request by the rules of https://docs.anthropic.com/en/api/messages; undefined when all is well. */
export function validateMessagesRequest(body: unknown): string | undefined {
  const parsed = request.safeParse(body)
  if (!parsed.success) return z.prettifyError(parsed.error)
  return (
    alternation(parsed.data.messages) ?? pairing(parsed.data.messages) ?? thinking(parsed.data) ?? marks(parsed.data)
  )
}

function alternation(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages.0: the first message must be of the user'
  const twice = messages.findIndex((one, at) => one.role === messages[at - 1]?.role)
  if (twice > 0) return `messages.${twice}: roles must alternate`
  return messages.at(-1)?.role === 'assistant' ? 'this test model takes no prefilled answer' : undefined
}

/** Every use has exactly one result in the next message, where results come before all else. */
function pairing(messages: readonly Message[]): string | undefined {
  const seen = new Set<string>()
  for (const [at, one] of messages.entries()) {
    const results = blocksOf(one).filter((part) => part.type === 'tool_result')
    const uses = blocksOf(messages[at - 1]).filter((part) => part.type === 'tool_use')
    const open = new Set(uses.map((use) => use.id))
    for (const result of results) {
      if (!open.delete(result.tool_use_id))
        return `messages.${at}: no tool_use ${result.tool_use_id} in the message before`
    }
    if (open.size > 0) return `messages.${at - 1}: tool_use without tool_result: ${[...open].join(', ')}`
    const firstOther = blocksOf(one).findIndex((part) => part.type !== 'tool_result')
    if (results.length > 0 && firstOther >= 0 && firstOther < results.length) {
      return `messages.${at}: tool_result must come first`
    }
    for (const use of blocksOf(one).filter((part) => part.type === 'tool_use')) {
      if (seen.has(use.id)) return `messages.${at}: tool_use id ${use.id} is used twice`
      seen.add(use.id)
    }
  }
  const left = blocksOf(messages.at(-1)).filter((part) => part.type === 'tool_use')
  return left.length > 0 ? 'the last message has a tool_use without its tool_result' : undefined
}

/** While thinking is on, the answer whose calls are being answered must begin with thinking. */
function thinking({ thinking: asked, max_tokens: maxTokens, messages, temperature }: Request): string | undefined {
  if (!asked || asked.type === 'disabled') return undefined
  if (asked.type === 'enabled' && asked.budget_tokens >= maxTokens)
    return 'thinking.budget_tokens must be below max_tokens'
  if (temperature !== undefined && temperature !== 1) return 'temperature must be 1 while thinking is on'
  const last = messages.at(-2)
  const inLoop = blocksOf(messages.at(-1)).some((part) => part.type === 'tool_result')
  if (asked.type === 'enabled' && inLoop && !/thinking/.test(blocksOf(last)[0]?.type ?? '')) {
    return `messages.${messages.length - 2}: expected thinking first, as thinking is on`
  }
  return undefined
}

function marks(body: Request): string | undefined {
  const count = JSON.stringify(body).split('"cache_control"').length - 1
  return count > 4 ? `${count} blocks with cache_control; at most 4 are allowed` : undefined
}

function blocksOf(one: Message | undefined): readonly Block[] {
  return one === undefined || typeof one.content === 'string' ? [] : one.content
}
