import type { Config } from '@hermes/core/config/schema.ts'

/** What a chat is shown beside the answer. */
export interface ChatDisplay {
  /** Tool calls: none, one line for each new kind, one for each, or with all arguments. */
  readonly toolProgress: 'off' | 'new' | 'all' | 'verbose'
  /** Longest preview of a call, characters. */
  readonly previewLength: number
  readonly showReasoning: boolean
  /** Edit the message while the answer comes. */
  readonly streaming: boolean
  /** What the model says between its tool calls. */
  readonly interim: boolean
  /** Messages that one answer may take; the whole of a longer one is sent as a file. */
  readonly maxMessages: number
}

type Tier = Pick<ChatDisplay, 'toolProgress'> & { readonly previewLength: number; readonly streams: boolean }

const high: Tier = { toolProgress: 'all', previewLength: 40, streams: true }
const medium: Tier = { toolProgress: 'new', previewLength: 40, streams: true }
const low: Tier = { toolProgress: 'off', previewLength: 40, streams: false }
const minimal: Tier = { toolProgress: 'off', previewLength: 40, streams: false }

/** What suits a platform where its person sets nothing: the less, the dearer or slower its messages are. */
const tiers: Readonly<Record<string, Tier>> = {
  telegram: high,
  discord: high,
  slack: medium,
  mattermost: medium,
  matrix: medium,
  feishu: medium,
  whatsapp: medium,
  signal: low,
  bluebubbles: low,
  weixin: low,
  wecom: low,
  wecom_callback: low,
  dingtalk: low,
  email: minimal,
  sms: minimal,
  webhook: minimal,
  homeassistant: minimal,
}

/** The settings of a platform: its own (`display.platforms`), then the general ones, then what suits it. */
export function chatDisplay({ display, streaming }: Config, platform: string): ChatDisplay {
  const own = display.platforms[platform] ?? {}
  const older = display.tool_progress_overrides[platform]
  const tier = tiers[platform] ?? high
  // What nobody has set reads as `all`, and says nothing of this platform.
  const general = display.tool_progress === 'all' ? undefined : progressOf(display.tool_progress)
  const length = [own['tool_preview_length'], display.tool_preview_length].find(
    (value): value is number => typeof value === 'number' && value > 0,
  )
  return {
    toolProgress: progressOf(own['tool_progress']) ?? progressOf(older) ?? general ?? tier.toolProgress,
    previewLength: length ?? tier.previewLength,
    showReasoning: flagOf(own['show_reasoning']) ?? display.show_reasoning,
    streaming: streaming.transport !== 'off' && (flagOf(own['streaming']) ?? (tier.streams && streaming.enabled)),
    interim: display.interim_assistant_messages,
    maxMessages: countOf(own['max_answer_messages']) ?? display.max_answer_messages,
  }
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

function progressOf(value: unknown): ChatDisplay['toolProgress'] | undefined {
  if (value === false) return 'off'
  if (value === true) return 'all'
  return value === 'off' || value === 'new' || value === 'all' || value === 'verbose' ? value : undefined
}

function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  if (['true', 'yes', 'on', '1'].includes(word)) return true
  return ['false', 'no', 'off', '0'].includes(word) ? false : undefined
}
