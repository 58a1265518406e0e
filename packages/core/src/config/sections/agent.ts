import { z } from 'zod'
import { shortForms } from '../short-forms.ts'
import { choice, decimal, flag, mapOf, section, text, textList, whole } from '../values.ts'

const personality = z.union([
  z.string(),
  z.looseObject({
    description: z.string().optional(),
    system_prompt: z.string().optional(),
    tone: z.string().optional(),
    style: z.string().optional(),
  }),
])

/** How a turn is run. */
export const agentSettings = {
  agent: section({
    max_turns: whole(90, { min: 1 }).describe('Most model calls in one turn.'),
    verbose: flag(false).describe('Log more of what the agent does.'),
    system_prompt: text().describe('Added to the system prompt of every session.'),
    prefill_messages_file: text().describe('JSON file with messages put before every conversation.'),
    reasoning_effort: choice(['', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'], '', {
      off: 'none',
    }).describe("How much the model reasons; the model's own habit when empty."),
    service_tier: choice(['', 'normal', 'fast', 'priority'], '', {
      on: 'priority',
      off: 'normal',
      none: 'normal',
      default: 'normal',
      standard: 'normal',
    }).describe('Speed tier asked of the API.'),
    tool_use_enforcement: z
      .preprocess(
        (value) => value ?? undefined,
        z.union([z.literal('auto'), z.boolean(), z.array(z.string())]).default('auto'),
      )
      .describe('Tell the model to act by tools: auto, true, false, or parts of model names.'),
    personalities: mapOf(personality).describe('Your own personalities for /personality: name to text.'),
    gateway_timeout: whole(1800, { min: 0 }).describe('Idle seconds after which a chat turn is stopped; 0: never.'),
    gateway_timeout_warning: whole(900, { min: 0 }).describe('Idle seconds after which the chat is warned; 0: never.'),
    gateway_notify_interval: whole(600, { min: 0 }).describe('Seconds between notices of a long turn; 0: none.'),
    restart_drain_timeout: whole(60, { min: 0 }).describe('Seconds that running turns get when the gateway stops.'),
  }).describe('How a turn is run.'),
  compression: section({
    enabled: flag(true).describe('Summarise the middle of a conversation that nears the context window.'),
    threshold: decimal(0.5, { min: 0, max: 1 }).describe('Part of the context window at which it begins.'),
    target_ratio: decimal(0.2, { min: 0, max: 1 }).describe('Part of the threshold that is kept as the tail.'),
    protect_last_n: whole(20, { min: 0 }).describe('Last messages for which the tail may be half as long again.'),
  }).describe('Compaction of long conversations.'),
  context: section({
    engine: text('compressor').describe("Context engine: compressor, or a plugin's name."),
  }).describe('The context engine.'),
  checkpoints: section(
    {
      enabled: flag(false).describe('Snapshot the working directory before files are changed. Off unless asked for.'),
      max_snapshots: whole(50, { min: 1 }).describe('Most snapshots kept of a directory.'),
    },
    shortForms['checkpoints'],
  ).describe('Snapshots of the working directory.'),
  worktree: flag(false).describe('Work in a git worktree of its own.'),
  prefill_messages_file: text().describe('Older place of agent.prefill_messages_file.'),
  personalities: mapOf(personality).describe('Older place of agent.personalities.'),
  clarify: section({
    timeout: whole(120, { min: 0 }).describe('Seconds that a question waits for its answer.'),
  }).describe('Questions that the agent asks.'),
  toolsets: textList(['hermes-cli']).describe('No longer used; see platform_toolsets.'),
  platform_toolsets: mapOf(textList()).describe('Toolsets by face or platform, e.g. cli: [file, terminal].'),
  known_plugin_toolsets: mapOf(textList()).describe('Plugin toolsets already offered, by platform. Kept by `tools`.'),
  file_read_max_chars: whole(100_000, { min: 1 }).describe('Longest file part that read_file returns, characters.'),
  code_execution: section({
    timeout: whole(300, { min: 1 }).describe('Most seconds of one execute_code run.'),
    max_tool_calls: whole(50, { min: 0 }).describe('Most tool calls of one execute_code run.'),
  }).describe('The execute_code tool.'),
}
