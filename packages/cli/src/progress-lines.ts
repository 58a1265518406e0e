import type { TurnEvent } from '@hermes/core/agent/events.ts'
import type { ChatOptions } from './chat-options.ts'
import type { Cli } from './command.ts'
import { compactionLine } from './compaction-line.ts'
import { cleanLine, cleanText } from './repl/clean-text.ts'
import { answerNote } from './repl/decision-note.ts'
import { shownOutput } from './repl/tool-result.ts'
import { toolLine } from './tool-line.ts'

/** Writes what happens in a turn to stderr, a line each: tools, notices, questions. Nothing in quiet mode. */
export function progressWriter({ quiet, verbose }: ChatOptions, cli: Cli): (event: TurnEvent) => void {
  const say = (line: string) => void cli.stderr.write(`${line}\n`)
  if (quiet) return () => {}
  const previews = new Map<string, string>()
  return (event) => {
    if (event.type === 'tool-start') previews.set(event.callId, event.preview)
    else if (event.type === 'tool-end') {
      say(toolLine({ ...event, preview: previews.get(event.callId) ?? '' }, cli))
      previews.delete(event.callId)
      if (verbose) say(cleanText(shownOutput(event.content)))
    } else if (event.type === 'notice') say(`${event.level === 'warning' ? '!' : '·'} ${cleanLine(event.message)}`)
    else if (event.type === 'answer-end' && event.toolCalls > 0 && event.text.trim() !== '') say(cleanText(event.text))
    else if (event.type === 'compaction-start' || event.type === 'compaction') say(`· ${compactionLine(event)}`)
    else if (event.type === 'decision-result') say(`! ${answerNote(event.answer)[0]}`)
  }
}
