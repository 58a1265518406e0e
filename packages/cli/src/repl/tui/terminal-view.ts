import type { DecisionRequest } from '@hermes/core/agent/decision.ts'
import { cleanLine } from '../clean-text.ts'
import type { Theme } from '../theme.ts'
import type { View } from '../view.ts'
import { Asker } from './asker.ts'
import type { DecisionPanel } from './panel-options.ts'
import type { Screen } from './screen.ts'
import type { StatusLine } from './status-line.ts'
import { Transcript } from './transcript.ts'

export interface TerminalViewOptions {
  readonly screen: Screen
  readonly theme: Theme
  readonly status: StatusLine
  readonly timeoutMs: (kind: DecisionRequest['kind']) => number
  readonly showPanel: (panel: DecisionPanel | undefined) => void
  readonly isTyping: () => boolean
}

/** The view of a conversation on a screen; `noticeKey` is told of keys while a question is shown. */
export function terminalView(options: TerminalViewOptions): View & { noticeKey(): void } {
  const { screen, theme, status, timeoutMs, showPanel, isTyping } = options
  const transcript = new Transcript(screen, theme, (activity) => status.setActivity(activity))
  const requestRender = () => screen.requestRender()
  const asker = new Asker({ theme, timeoutMs, show: showPanel, requestRender, isTyping })
  return {
    decide: asker.decide,
    noticeKey: () => asker.noticeKey(),
    configure: (settings) => (transcript.settings = settings),
    print: (text, tone) => transcript.print(text, tone),
    showMessage: (text) => transcript.showMessage(text),
    showAnswer: (markdown) => transcript.showAnswer(markdown),
    showToolCall: (name, preview) => transcript.showToolCall(name, preview),
    showEvent: (event) => transcript.showEvent(event),
    showWaiting: (messages) => status.setWaiting(messages.map(cleanLine)),
    setBusy(busy) {
      status.setBusy(busy)
      if (!busy && transcript.settings.bell) screen.terminal.write('\u0007')
    },
    clear: () => screen.clearScreen(),
  }
}
