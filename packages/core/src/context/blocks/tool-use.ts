import type { PromptBlock, PromptSources } from './block.ts'

/** For models that tell what they would do instead of doing it. */
const enforcement =
  'Act by calling tools: when you say that you will do something, make the call in the same answer. Never end a turn with a plan or a promise; go on until the task is done or cannot be done, then report what really happened.'

/** What families of models need to be told beside that: parts of their names, and the text. */
const families: readonly (readonly [names: readonly string[], text: string])[] = [
  [
    ['gemini', 'gemma'],
    'Use absolute paths. Look at files before you change them, and do not assume that a library or program is there. Make calls that do not depend on each other in one answer. Give commands the flags that keep them from asking (-y, --yes).',
  ],
  [
    ['gpt', 'codex'],
    'Keep using tools while that makes the answer better; when a result is empty or partial, try another way. Let tools tell what they can: calculations, dates, the state of the system, files, git, current facts. Where a request has an obvious meaning, act on it instead of asking. Check what the task depends on before, and the outcome after; say what you had to assume.',
  ],
]

/** Models that are told by `auto`. */
const usual = ['gpt', 'codex', 'gemini', 'gemma', 'grok']

export const toolUseBlock: PromptBlock = {
  name: 'tool-use',
  about: 'act by tools, for models that need to hear it (agent.tool_use_enforcement)',
  build(sources) {
    if (!isWanted(sources)) return undefined
    const own = families.flatMap(([names, text]) => (isOneOf(sources.model.model, names) ? [text] : []))
    return [enforcement, ...own].join(' ')
  },
}

function isWanted({ context, tools, model }: PromptSources): boolean {
  const setting = context.config.agent.tool_use_enforcement
  if (tools.size === 0 || setting === false) return false
  return setting === true || isOneOf(model.model, setting === 'auto' ? usual : setting)
}

function isOneOf(model: string, names: readonly string[]): boolean {
  return names.some((name) => name.trim() !== '' && model.toLowerCase().includes(name.trim().toLowerCase()))
}
