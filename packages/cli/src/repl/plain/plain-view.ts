import type { Writable } from 'node:stream'
import type { Decide } from '@hermes/core/agent/decision.ts'
import type { TurnEvent } from '@hermes/core/agent/events.ts'
import { compactionLine } from '../../compaction-line.ts'
import { toolLine } from '../../tool-line.ts'
import type { Cli } from '../../command.ts'
import { cleanLine, cleanText, createTextCleaner } from '../clean-text.ts'
import { answerNote } from '../decision-note.ts'
import { shownOutput } from '../tool-result.ts'
import type { View, ViewSettings } from '../view.ts'
import { defaultViewSettings } from '../view.ts'

/**
 * The view of a conversation as plain lines: answers on standard output, everything else on standard error. Answers
 * appear as they come where a person reads them; a program gets each when it is complete.
 */
export function plainView(cli: Cli, decide: Decide): View {
  const { stdout } = cli
  const streams = cli.stdout.isTTY === true
  const toolNames = new Map<string, { readonly preview: string }>()
  let settings: ViewSettings = defaultViewSettings
  let clean = createTextCleaner()
  let isOpen = false
  let lastTool: string | undefined

  const say = (text: string) => void cli.stderr.write(`${cleanText(text)}\n`)

  /** Ends the line of a streamed answer. */
  const endLine = () => {
    if (isOpen) stdout.write('\n')
    isOpen = false
    clean = createTextCleaner()
  }

  const showText = (text: string) => {
    if (!streams || !settings.streaming) return
    const piece = clean(text)
    if (!isOpen && piece.trim() === '') return
    isOpen = true
    stdout.write(piece)
  }

  const showAnswer = (text: string) => {
    if (isOpen) endLine()
    else if (text.trim() !== '') writeLine(stdout, cleanText(text).trim())
  }

  const showTool = (event: Extract<TurnEvent, { type: 'tool-end' }>) => {
    const { preview = '' } = toolNames.get(event.callId) ?? {}
    toolNames.delete(event.callId)
    const { toolProgress } = settings
    const isHidden = toolProgress === 'off' || (toolProgress === 'new' && event.name === lastTool)
    lastTool = event.name
    if (isHidden) return
    cli.stderr.write(`${toolLine({ ...event, preview }, cli)}\n`)
    if (toolProgress === 'verbose') say(shownOutput(event.content))
  }

  return {
    decide,
    configure: (changed) => (settings = changed),
    print(text, tone = 'plain') {
      if (tone === 'plain') writeLine(stdout, cleanText(text))
      else say(text)
    },
    showMessage(text, when) {
      if (when === 'earlier') say(`> ${text}`)
    },
    showAnswer: (text) => say(text),
    showToolCall: (name, preview) => say(`  ${cleanLine(name)} ${cleanLine(preview).slice(0, 100)}`.toWellFormed()),
    showEvent(event) {
      if (event.type === 'text-delta') showText(event.text)
      if (event.type === 'answer-end') showAnswer(event.text)
      if (event.type === 'tool-start') toolNames.set(event.callId, { preview: event.preview })
      if (event.type === 'tool-end') showTool(event)
      if (event.type === 'notice') say(event.message)
      if (event.type === 'compaction-start' || event.type === 'compaction') say(compactionLine(event))
      if (event.type === 'decision-result') say(answerNote(event.answer)[0])
      if (event.type === 'answer-reset' && isOpen) {
        endLine()
        say('(The answer broke off and begins again.)')
      }
      if (event.type === 'turn-end') {
        endLine()
        if (event.status === 'cancelled') say('Interrupted.')
        if (event.failure) say(event.failure.message)
      }
    },
    showWaiting() {},
    setBusy(busy) {
      if (!busy && settings.bell && cli.environment['TERM'] !== 'dumb') cli.stderr.write('\u0007')
    },
    clear() {},
  }
}

function writeLine(stream: Writable, text: string): void {
  stream.write(`${text}\n`)
}
