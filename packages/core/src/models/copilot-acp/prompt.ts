import type { ModelRequest, ToolSchema } from '../model.ts'
import type { Fields } from '../wire/json-fields.ts'
import type { TranscriptMessage } from '../transcript.ts'

/**
 * A request as the prompt of a fresh session: what is wanted, the tools, and all that was said so far. Pictures of the
 * last message go along where the program takes them.
 */
export function promptOf(request: ModelRequest, takesImages: boolean): readonly Fields[] {
  const { messages, tools, toolChoice } = request
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  const said = messages.filter(({ role }) => role !== 'system').map(labelled)
  const text = [
    howToAnswer,
    ...(tools.length > 0 && toolChoice !== 'none' ? [howToCall(tools)] : ['You have no tools.']),
    ...(system.length > 0 ? [`<instructions>\n${system.join('\n\n')}\n</instructions>`] : []),
    `<conversation>\n${said.join('\n')}\n</conversation>`,
    'Write the next message of the assistant now: its text alone, without a label.',
  ].join('\n\n')
  const images = messages.flatMap((message) => (message.role === 'user' ? (message.images ?? []) : []))
  const pictures = takesImages ? images.map(({ mediaType: mimeType, data }) => ({ type: 'image', mimeType, data })) : []
  return [{ type: 'text', text }, ...pictures]
}

const howToAnswer =
  'You are the language model inside another agent, which runs the tools. Continue the conversation below. Use no tool, command or file access of your own: whatever has to be done is done by the tools that are listed here, if any.'

function howToCall(tools: readonly ToolSchema[]): string {
  const schemas = tools.map((tool) => JSON.stringify(tool)).join('\n')
  return [
    'To call a tool, end your message with one block for each call, exactly in this form:',
    '<tool_call>{"name": "TOOL", "arguments": {"KEY": "VALUE"}}</tool_call>',
    'Write nothing behind the last block; you are given the results then. The tools, each with the JSON Schema of its arguments:',
    `<tools>\n${schemas}\n</tools>`,
  ].join('\n')
}

function labelled(message: TranscriptMessage): string {
  switch (message.role) {
    case 'assistant': {
      const calls = message.toolCalls.map(({ name, arguments: text }) => {
        const body = `{"name": ${JSON.stringify(name)}, "arguments": ${text.trim() || '{}'}}`
        return `<tool_call>${body}</tool_call>`
      })
      return `<assistant>\n${[message.content, ...calls].filter(Boolean).join('\n')}\n</assistant>`
    }
    case 'tool':
      return `<tool_result name=${JSON.stringify(message.toolName)}>\n${message.content}\n</tool_result>`
    default:
      return `<${message.role}>\n${message.content}\n</${message.role}>`
  }
}
