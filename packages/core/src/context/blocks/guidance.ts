import type { PromptBlock } from './block.ts'

/** What a model does not know by itself about using our tools: the tool, and what to know. */
const guidance: readonly (readonly [tool: string, text: string])[] = [
  ['terminal', 'Do the work with your tools rather than describe it; check the outcome before you say it is done.'],
  [
    'memory',
    'Save with `memory` what will still matter in later sessions: preferences, corrections, facts about the user and their machine, lessons; short and in facts. What only this task needs stays out of it.',
  ],
  [
    'session_search',
    'When the user refers to an earlier conversation, look it up with `session_search` before asking.',
  ],
]

export const guidanceBlock: PromptBlock = {
  name: 'guidance',
  about: 'how to use the tools that are there',
  build: ({ tools }) => guidance.flatMap(([tool, text]) => (tools.has(tool) ? [text] : [])).join(' '),
}
