import type { ModelsConfig } from './resolution/models-config.ts'

/** What decides which model a turn deserves. */
export interface TurnMessage {
  readonly text: string
  readonly hasAttachments: boolean
  /** Whether tools were used to answer the message before: what is said now may be about them. */
  readonly followsTools: boolean
}

/** Words of work that wants thinking. */
const demanding = new Set(
  'debug debugging implement implementation refactor patch traceback stacktrace exception error analyze analyse analysis investigate architecture design compare benchmark optimize optimise review terminal shell tool tools pytest test tests plan planning delegate subagent cron docker kubernetes code fix write build deploy install research'.split(
    ' ',
  ),
)

type RoutingConfig = ModelsConfig['smart_model_routing']

/** Whether a message is so short and plain that a cheaper model answers it as well. In doubt it is not. */
export function isSimple(
  message: TurnMessage,
  limits: Pick<RoutingConfig, 'max_simple_chars' | 'max_simple_words'>,
): boolean {
  const text = message.text.trim()
  if (text === '' || message.hasAttachments || message.followsTools) return false
  if (text.length > limits.max_simple_chars) return false
  const words = text.split(/\s+/)
  if (words.length > limits.max_simple_words) return false
  if (text.split('\n').length > 2 || /`|https?:\/\/|www\.|@\S/i.test(text)) return false
  return !words.some((word) => demanding.has(word.toLowerCase().replaceAll(/^\P{L}+|\P{L}+$/gu, '')))
}
