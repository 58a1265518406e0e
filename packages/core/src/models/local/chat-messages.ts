import type { ToolSchema } from '../model.ts'
import type { AssistantMessage, ToolCall, TranscriptMessage } from '../transcript.ts'
import { fields, parseFields } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'

/** A message as chat templates take it. */
export type TemplateMessage = Fields & { readonly role: string; readonly content: string }

/** What a template can express. */
export interface TemplateAbilities {
  /** Tools, calls and their results have a form of the model's own. */
  readonly tools: boolean
  /** There is a place for instructions before the conversation. */
  readonly system: boolean
}

/** A conversation in the form that a model's template can take. */
export function toTemplateMessages(
  messages: readonly TranscriptMessage[],
  tools: readonly ToolSchema[],
  abilities: TemplateAbilities,
): readonly TemplateMessage[] {
  const written = abilities.tools ? messages.map(ownForm) : asText(messages, tools)
  return abilities.system ? written : withoutSystem(written)
}

/** A tool as templates take it. */
export function templateTool({ name, description, parameters }: ToolSchema): Fields {
  return { type: 'function', function: { name, description, parameters } }
}

function ownForm(message: TranscriptMessage): TemplateMessage {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', content: message.content, name: message.toolName, tool_call_id: message.toolCallId }
    case 'assistant': {
      const { content, toolCalls, reasoning } = message
      return {
        role: 'assistant',
        content,
        ...(reasoning !== undefined && { reasoning_content: reasoning }),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(templateCall) }),
      }
    }
    case 'user':
    case 'system':
      return { role: message.role, content: spoken(message) }
  }
}

/** Templates write the arguments themselves, so they want them read. */
function templateCall({ id, name, arguments: text }: ToolCall): Fields {
  return { id, type: 'function', function: { name, arguments: readArguments(text) } }
}

function readArguments(text: string): Fields {
  if (text.trim() === '') return {}
  return fields(parseFields(text)) ?? { not_valid_json: text }
}

/** Calls and results as Hermes models write them, for templates that know nothing of tools. */
function asText(messages: readonly TranscriptMessage[], tools: readonly ToolSchema[]): readonly TemplateMessage[] {
  const told = tools.length > 0 ? toolInstructions(tools) : ''
  const first = messages[0]
  const system = [first?.role === 'system' ? first.content : '', told].filter((part) => part !== '').join('\n\n')
  const rest = first?.role === 'system' ? messages.slice(1) : messages
  const written = rest.map((message): TemplateMessage => {
    if (message.role === 'assistant') return { role: 'assistant', content: answerText(message) }
    if (message.role !== 'tool') return { role: 'user', content: spoken(message) }
    return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` }
  })
  const all = system === '' ? written : [{ role: 'system', content: system }, ...written]
  return joined(all)
}

function answerText({ content, toolCalls }: AssistantMessage): string {
  const calls = toolCalls.map(({ name, arguments: text }) => {
    return `<tool_call>\n${JSON.stringify({ name, arguments: readArguments(text) })}\n</tool_call>`
  })
  return [content, ...calls].filter((part) => part !== '').join('\n')
}

function toolInstructions(tools: readonly ToolSchema[]): string {
  const listed = tools.map((tool) => JSON.stringify(templateTool(tool)['function'])).join('\n')
  return [
    'You can call these tools:',
    `<tools>\n${listed}\n</tools>`,
    'To call one, write nothing but this, with the name of the tool and its arguments as JSON:',
    '<tool_call>\n{"name": "NAME", "arguments": {}}\n</tool_call>',
    'Its result comes back in <tool_response> tags.',
  ].join('\n')
}

/** Some models refuse two messages of one role in a row. */
function joined(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  const result: TemplateMessage[] = []
  for (const message of messages) {
    const last = result.at(-1)
    if (last?.role !== message.role) result.push(message)
    else result[result.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` }
  }
  return result
}

/** The instructions as the beginning of the first message. */
function withoutSystem(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  const [first, ...rest] = messages
  if (first?.role !== 'system') return messages
  const [next, ...others] = rest
  if (next?.role !== 'user') return [{ ...first, role: 'user' }, ...rest]
  return [{ ...next, content: `${first.content}\n\n${next.content}` }, ...others]
}

function spoken(message: Extract<TranscriptMessage, { role: 'user' | 'system' }>): string {
  const images = message.role === 'user' ? (message.images?.length ?? 0) : 0
  if (images === 0) return message.content
  const note = images === 1 ? '[A picture that you cannot see]' : `[${images} pictures that you cannot see]`
  return message.content === '' ? note : `${message.content}\n\n${note}`
}
