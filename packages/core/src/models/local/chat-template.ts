import type { ModelRequest, ToolSchema } from '../model.ts'
import { ModelError } from '../model-error.ts'
import { threeSteps } from '../reasoning-effort.ts'
import type { TranscriptMessage } from '../transcript.ts'
import type { JinjaModule, Template } from './binding.ts'
import { templateTool, toTemplateMessages } from './chat-messages.ts'
import type { TemplateAbilities } from './chat-messages.ts'

/** How a model wants a conversation written. */
export interface ChatTemplate {
  readonly source: string
  readonly abilities: TemplateAbilities
  /** The whole prompt, up to where the answer begins. `guard` is given every text that is not the template's own. */
  render(request: PromptRequest, guard: (text: string) => string): string
}

export type PromptRequest = Pick<ModelRequest, 'messages' | 'tools' | 'reasoningEffort'>

export interface TemplateOptions {
  readonly jinja: JinjaModule
  /** The template of the model's file; undefined where it has none. */
  readonly source: string | undefined
  readonly bos: string
  readonly eos: string
}

/** The form that most small models know, for files without a template. */
const chatMl =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

/** Reads a model's template and tries what it can express. Throws `ModelError` where it cannot be used. */
export function createChatTemplate({ jinja, source = chatMl, bos, eos }: TemplateOptions): ChatTemplate {
  const template = parse(jinja, source)
  const marks = { bos_token: bos, eos_token: eos, add_generation_prompt: true }
  const render = (
    { messages, tools, reasoningEffort }: PromptRequest,
    abilities: TemplateAbilities,
    guard: (text: string) => string,
  ): string => {
    const offered = abilities.tools && tools.length > 0 ? { tools: guarded(tools.map(templateTool), guard) } : {}
    return template.render({
      ...marks,
      ...offered,
      ...effortValues(reasoningEffort),
      messages: guarded(toTemplateMessages(messages, tools, abilities), guard),
    })
  }
  const can = (abilities: TemplateAbilities, sample: Sample): boolean => {
    try {
      const text = render({ ...sample, tools: sample.tools ?? [] }, abilities, (each) => each)
      return sample.shows.every((part) => text.includes(part))
    } catch {
      // A template says no by throwing: it is what is being asked.
      return false
    }
  }
  const system = can({ tools: false, system: true }, instructed)
  const abilities = { system, tools: can({ system, tools: true }, withTools) }
  return { source, abilities, render: (request, guard) => render(request, abilities, guard) }
}

function parse(jinja: JinjaModule, source: string): Template {
  try {
    return new jinja.Template(source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `The chat template of the model file cannot be read: ${reason}. Choose another file.`
    throw new ModelError('invalid-request', message, { cause: error })
  }
}

/** Every text in a value, keys apart, passed through `guard`. */
function guarded(value: unknown, guard: (text: string) => string): unknown {
  if (typeof value === 'string') return guard(value)
  if (Array.isArray(value)) return value.map((item) => guarded(item, guard))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [guard(key), key === 'role' ? item : guarded(item, guard)]),
  )
}

/** What templates of thinking models ask for. */
function effortValues(effort: ModelRequest['reasoningEffort']): Readonly<Record<string, unknown>> {
  if (effort === undefined) return {}
  return { enable_thinking: effort !== 'none', reasoning_effort: threeSteps(effort) }
}

/** A conversation, and what of it must be found in its prompt. */
interface Sample {
  readonly messages: readonly TranscriptMessage[]
  readonly tools?: readonly ToolSchema[]
  readonly shows: readonly string[]
}

const question = { role: 'user', content: 'sample question' } as const

const instructed: Sample = {
  messages: [{ role: 'system', content: 'sample instruction' }, question],
  shows: ['sample instruction', 'sample question'],
}

const withTools: Sample = {
  messages: [
    question,
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call00001', name: 'sample_tool', arguments: '{"place":"sample place"}' }],
    },
    { role: 'tool', toolCallId: 'call00001', toolName: 'sample_tool', content: 'sample result' },
    { role: 'assistant', content: 'sample answer', toolCalls: [] },
    { role: 'user', content: 'another question' },
  ],
  tools: [
    {
      name: 'sample_tool',
      description: 'sample description',
      parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
    },
  ],
  shows: ['sample description', 'sample place', 'sample result', 'another question'],
}
