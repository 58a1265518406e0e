import type { TurnEvent } from '@hermes/core/agent/events.ts'
import type { ChatOptions } from './chat-options.ts'
import type { Cli } from './command.ts'
import { toolLine } from './tool-line.ts'

/** Longest output shown of one call in verbose mode, characters. */
const maxShownOutput = 2_000

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
      if (verbose) say(event.content.slice(0, maxShownOutput).toWellFormed())
    } else if (event.type === 'notice') say(`${event.level === 'warning' ? '!' : '·'} ${event.message}`)
    else if (event.type === 'answer-end' && event.toolCalls > 0 && event.text.trim() !== '') say(event.text.trim())
    else if (event.type === 'decision-result' && event.answer.kind === 'approval') {
      const { choice } = event.answer
      if (choice === 'unavailable') say('! Not allowed: nobody is there to ask (--yolo allows everything).')
      else if (choice === 'timeout') say('! Not allowed: no answer in time.')
    }
  }
}
