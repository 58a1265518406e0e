import { flag, freeMap, mapOf, section, text, textList, whole } from '../values.ts'

/** What is remembered and learnt. */
export const memorySettings = {
  memory: section({
    memory_enabled: flag(true).describe('Keep notes in memories/MEMORY.md.'),
    user_profile_enabled: flag(true).describe('Keep what is known of you in memories/USER.md.'),
    memory_char_limit: whole(2200, { min: 1 }).describe('Most characters of MEMORY.md.'),
    user_char_limit: whole(1375, { min: 1 }).describe('Most characters of USER.md.'),
    provider: text().describe('One external memory provider; none when empty.'),
    nudge_interval: whole(10, { min: 0 }).describe(
      'Turns after which a session is looked through for what to remember; 0: never.',
    ),
    write_approval: flag(false).describe('Ask before an entry is written to MEMORY.md or USER.md.'),
    flush_min_turns: whole(6, { min: 0 }).describe('Turns a session needs for its memories to be saved; 0: never.'),
  }).describe('Memory between sessions.'),
  honcho: freeMap().describe('Settings of the Honcho memory provider, over its own file.'),
  skills: section({
    external_dirs: textList().describe('More folders with skills; only read.'),
    disabled: textList().describe('Skills that are off.'),
    platform_disabled: mapOf(textList()).describe('Skills that are off, by platform; in place of disabled.'),
    config: freeMap().describe('Settings that skills ask for.'),
    creation_nudge_interval: whole(10, { min: 0 }).describe(
      'Answers with tool calls after which a session is looked through for a skill to save; 0: never.',
    ),
  }).describe('Skills.'),
}
