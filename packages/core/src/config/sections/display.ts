import { choice, flag, freeMap, mapOf, section, text, whole } from '../values.ts'

const toolProgress = () => choice(['off', 'new', 'all', 'verbose'], 'all', { on: 'all' })

/** How answers look. */
export const displaySettings = {
  display: section({
    compact: flag(false).describe('Fewer empty lines and boxes.'),
    personality: text('kawaii').describe('Personality that the screen shows as chosen.'),
    resume_display: choice(['full', 'summary', 'minimal', 'none'], 'full').describe(
      'What of a resumed session is shown.',
    ),
    busy_input_mode: choice(['interrupt', 'queue', 'steer'], 'interrupt').describe(
      'What happens with a message sent during a turn.',
    ),
    bell_on_complete: flag(false).describe('Ring the bell at the end of a turn.'),
    show_reasoning: flag(false).describe("Show the model's reasoning."),
    streaming: flag(true).describe('Show the answer as it comes, in the terminal.'),
    inline_diffs: flag(true).describe('Show what changed in files.'),
    show_cost: flag(false).describe('Show what a turn cost.'),
    skin: text('default').describe('Colours and words of the screen: default, mono, slate …, or a file in skins/.'),
    interim_assistant_messages: flag(true).describe('Send what the model says between tool calls to chats.'),
    tool_progress: toolProgress().describe('Tool calls shown: off, new (one a kind), all, verbose.'),
    tool_progress_command: flag(false).describe('Offer /verbose in chats.'),
    tool_progress_overrides: freeMap().describe('Older form of display.platforms.<name>.tool_progress.'),
    tool_preview_length: whole(0, { min: 0 }).describe('Longest preview of a tool call, characters; 0: no limit.'),
    max_answer_messages: whole(10, { min: 1, max: 1000 }).describe(
      'Messages that one answer may take in a chat; a longer one is its beginning and a file.',
    ),
    platforms: mapOf(freeMap()).describe(
      'Other display settings by platform: {tool_progress, show_reasoning, tool_preview_length, streaming, max_answer_messages}.',
    ),
    background_process_notifications: choice(['off', 'result', 'error', 'all'], 'all', { on: 'all' }).describe(
      'Notices about background commands.',
    ),
  }).describe('How answers look.'),
  human_delay: section({
    mode: choice(['off', 'natural', 'custom'], 'off', { on: 'natural' }).describe(
      'Wait between messages as people do.',
    ),
    min_ms: whole(800, { min: 0 }).describe('Shortest wait, ms.'),
    max_ms: whole(2500, { min: 0 }).describe('Longest wait, ms.'),
  }).describe('Pauses between messages.'),
}
