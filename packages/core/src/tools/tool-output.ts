import { redactStream } from '../security/redact-stream.ts'
import type { Redactor } from '../security/redact.ts'

/** A command's output as a model reads it: without secrets, trimmed; of bytes that are no text only their number. */
export function presentOutput(output: string, redactor: Redactor): string {
  const text = output.trim()
  const broken = text.split('\ufffd').length - 1
  if (broken > 20 && broken > text.length / 10) return `[binary output, ${text.length} characters, not shown]`
  return redactor.redact(text)
}

/** Shows people the output of a running command as it comes. */
export interface OutputProgress {
  push(text: string): void
  /** Nothing is shown any more. */
  stop(): void
}

/** How often at most progress is shown, ms; a command that is faster shows none. */
const everyMs = 150
/** Longest output that is looked through for secrets as it comes, characters; after it only the amount is shown. */
const longestShown = 1_000_000
const longestPiece = 2000

/** Whole lines, without secrets. */
export function createOutputProgress(redactor: Redactor, show: (text: string) => void): OutputProgress {
  const stream = redactStream(redactor)
  let waiting = ''
  let total = 0
  let timer: NodeJS.Timeout | undefined

  function showLines(): void {
    timer = undefined
    if (total > longestShown) return show(`… ${total} characters of output\n`)
    const end = waiting.lastIndexOf('\n') + 1
    const lines = waiting.slice(0, end)
    waiting = waiting.slice(end)
    if (lines !== '') show(lines.slice(-longestPiece))
  }

  return {
    push(text) {
      total += text.length
      waiting = total > longestShown ? '' : waiting + stream.push(text)
      timer ??= setTimeout(showLines, everyMs)
    },
    stop() {
      clearTimeout(timer)
    },
  }
}
