import { sep } from 'node:path'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { Home } from '@hermes/core/config/home.ts'
import { findDeliverables } from './deliverables.ts'

/** Tools that make files for the chat; `use_tool` calls one of them. */
const makers: ReadonlySet<string> = new Set(['text_to_speech', 'use_tool'])

/** Lines of what the model thought that are shown, and most of it that is kept, characters. */
const [shownLines, keptChars] = [15, 20_000]

/** What of a turn is told with its answer. */
export interface TurnRecord {
  note(event: NumberedEvent): void
  /** Tags of files that tools made, for those that the answer does not name. */
  readonly toolTags: readonly string[]
  /** What the model thought, as it is shown; undefined where it told nothing. */
  reasoning(): string | undefined
}

export function createTurnRecord(home: Home): TurnRecord {
  const toolTags: string[] = []
  /** Of the answers that have ended, and of the one that comes. */
  const thoughts: string[] = []
  let chars = 0
  let thought = ''
  return {
    toolTags,
    note(event) {
      if (event.type === 'reasoning-delta' && chars + thought.length < keptChars) thought += event.text
      if (event.type === 'answer-reset') thought = ''
      if (event.type === 'answer-end') {
        thoughts.push(thought.trim())
        chars += thought.length
        thought = ''
      }
      if (event.type === 'tool-end' && event.status === 'ok' && makers.has(event.name)) {
        const tag = mediaTag(event.content)
        if (tag !== undefined && isOurs(tag, home)) toolTags.push(tag)
      }
    },
    reasoning() {
      const whole = [...thoughts, thought.trim()].filter((one) => one !== '').join('\n\n')
      if (whole === '') return undefined
      const lines = whole.split('\n')
      const more = lines.length > shownLines ? [`(${lines.length - shownLines} more lines)`] : []
      const shown = [...lines.slice(0, shownLines), ...more].join('\n').replaceAll('```', "'''")
      return `💭 Reasoning:\n\`\`\`\n${shown}\n\`\`\``
    },
  }
}

function mediaTag(content: string): string | undefined {
  try {
    const value: unknown = JSON.parse(content)
    const tag = typeof value === 'object' && value !== null && 'media_tag' in value ? value.media_tag : undefined
    return typeof tag === 'string' ? tag : undefined
  } catch {
    // Many results are no JSON.
    return undefined
  }
}

/** Only what our own tools have made in the caches: a result says where a file is, not that it may be sent. */
function isOurs(tag: string, home: Home): boolean {
  const folders = [home.path('cache'), home.path('audio_cache'), home.path('image_cache')]
  return findDeliverables(tag).every(({ target }) => folders.some((folder) => target.startsWith(folder + sep)))
}
