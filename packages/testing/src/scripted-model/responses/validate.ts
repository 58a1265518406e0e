import { z } from 'zod'

const item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant', 'developer', 'system']),
    content: z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('input_text'), text: z.string() }),
          z.strictObject({ type: z.literal('input_image'), image_url: z.string().min(1) }),
          z.strictObject({ type: z.literal('output_text'), text: z.string() }),
        ]),
      )
      .min(1),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().startsWith('fc_').optional(),
    call_id: z.string().min(1).max(64),
    name: z.string().regex(/^[\w-]{1,64}$/),
    arguments: z.string(),
  }),
  z.strictObject({ type: z.literal('function_call_output'), call_id: z.string().min(1).max(64), output: z.string() }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().startsWith('rs_').optional(),
    summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })),
    encrypted_content: z.string().min(1),
  }),
])

type Item = z.infer<typeof item>

const request = z.strictObject({
  model: z.string().min(1),
  instructions: z.string().optional(),
  input: z.array(item).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: z.string().regex(/^[\w-]{1,64}$/),
        description: z.string().optional(),
        parameters: z.looseObject({ type: z.literal('object') }),
        strict: z.boolean(),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z.enum(['auto', 'none', 'required']).optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'low', 'medium', 'high', 'xhigh']),
      summary: z.enum(['auto', 'concise', 'detailed']).optional(),
    })
    .optional(),
  include: z.array(z.literal('reasoning.encrypted_content')).optional(),
  max_output_tokens: z.int().min(16).optional(),
  prompt_cache_key: z.string().optional(),
  service_tier: z.string().optional(),
  store: z.literal(false),
  stream: z.boolean().optional(),
})

/** What is wrong with a request by the API's rules for calls without stored state; undefined when all is well. */
export function validateResponsesRequest(body: unknown): string | undefined {
  const parsed = request.safeParse(body)
  if (!parsed.success) return z.prettifyError(parsed.error)
  return pairing(parsed.data.input) ?? reasoning(parsed.data.input) ?? roles(parsed.data.input)
}

function pairing(input: readonly Item[]): string | undefined {
  const open = new Set<string>()
  const seen = new Set<string>()
  for (const [at, one] of input.entries()) {
    if (one.type === 'function_call') {
      if (seen.has(one.call_id)) return `input[${at}]: call_id ${one.call_id} is used twice`
      seen.add(one.call_id)
      open.add(one.call_id)
    } else if (one.type === 'function_call_output' && !open.delete(one.call_id)) {
      return `No tool call found for function call output with call_id ${one.call_id}.`
    }
  }
  const [left] = open
  return left === undefined ? undefined : `No tool output found for function call ${left}.`
}

/** Reasoning stands in front of what it led to. */
function reasoning(input: readonly Item[]): string | undefined {
  const at = input.findIndex((one, index) => {
    const next = input[index + 1]
    const led =
      next?.type === 'reasoning' ||
      next?.type === 'function_call' ||
      (next?.type === 'message' && next.role === 'assistant')
    return one.type === 'reasoning' && !led
  })
  return at < 0 ? undefined : `input[${at}]: reasoning was provided without its required following item.`
}

function roles(input: readonly Item[]): string | undefined {
  for (const [at, one] of input.entries()) {
    if (one.type !== 'message') continue
    const wrong = one.content.find(({ type }) => (type === 'output_text') !== (one.role === 'assistant'))
    if (wrong) return `input[${at}]: ${wrong.type} does not go with the role ${one.role}`
  }
  return undefined
}
