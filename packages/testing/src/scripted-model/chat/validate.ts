import { z } from 'zod'
import type { ValidateOptions } from '../wire.ts'

const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
})

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string().min(1) }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }),
])

const content = z.union([z.string(), z.array(part).min(1)])

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content }),
  z.looseObject({ role: z.literal('user'), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content }),
])

type Message = z.infer<typeof message>

const request = z.looseObject({
  model: z.string().min(1),
  stream: z.boolean().optional(),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().optional(),
          parameters: z.looseObject({ type: z.literal('object') }),
        }),
      }),
    )
    .min(1)
    .optional(),
})

/** What is wrong with a chat request, by the strictest rules that providers have; undefined when all is well. */
export function validateChatRequest(body: unknown, options: ValidateOptions): string | undefined {
  const parsed = request.safeParse(body)
  if (!parsed.success) return z.prettifyError(parsed.error)
  const { messages } = parsed.data
  return alternation(messages) ?? pairing(messages) ?? (options.strictArguments ? badArguments(messages) : undefined)
}

function alternation(messages: readonly Message[]): string | undefined {
  for (const [index, { role }] of messages.entries()) {
    const previous = messages[index - 1]?.role
    if ((role === 'system' || role === 'developer') && index > 0) return `messages[${index}]: ${role} must come first`
    if ((role === 'user' || role === 'assistant') && role === previous) {
      return `messages[${index}]: two ${role} messages in a row`
    }
    if (role === 'assistant' && previous !== 'user' && previous !== 'tool') {
      return `messages[${index}]: assistant must follow user or tool`
    }
  }
  return messages.at(-1)?.role === 'assistant' ? 'the last message must not be of the assistant' : undefined
}

/** Every call has exactly one result, right after it, and every result its call. */
function pairing(messages: readonly Message[]): string | undefined {
  const seen = new Set<string>()
  let open = new Set<string>()
  for (const [index, current] of messages.entries()) {
    const at = `messages[${index}]`
    if (current.role === 'tool') {
      if (!open.delete(current.tool_call_id)) return `${at}: no open call ${current.tool_call_id}`
      continue
    }
    if (open.size > 0) return `${at}: calls without a result: ${[...open].join(', ')}`
    if (current.role !== 'assistant') continue
    const calls = current.tool_calls ?? []
    if (calls.length === 0 && (current.content ?? '') === '') return `${at}: neither content nor tool calls`
    for (const { id } of calls) {
      if (seen.has(id)) return `${at}: call id ${id} is used twice`
      seen.add(id)
    }
    open = new Set(calls.map((call) => call.id))
  }
  return open.size > 0 ? `calls without a result: ${[...open].join(', ')}` : undefined
}

function badArguments(messages: readonly Message[]): string | undefined {
  for (const [index, current] of messages.entries()) {
    if (current.role !== 'assistant') continue
    for (const call of current.tool_calls ?? []) {
      if (!isJsonObject(call.function.arguments))
        return `messages[${index}]: arguments of ${call.id} are no JSON object`
    }
  }
  return undefined
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
