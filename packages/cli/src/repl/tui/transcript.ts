import type { TurnEvent } from '@hermes/core/agent/events.ts'
import { compactionLine } from '../../compaction-line.ts'
import { sentTokens, formatContext, formatCount } from '@hermes/core/text/token-count.ts'
import { seconds } from '../../tool-line.ts'
import { cleanLine, cleanText, createTextCleaner } from '../clean-text.ts'
import type { Theme } from '../theme.ts'
import type { Tone, ViewSettings } from '../view.ts'
import { defaultViewSettings } from '../view.ts'
import { answerNote } from '../decision-note.ts'
import { diffOf, problemOf, shownOutput } from '../tool-result.ts'
import { AnswerStream } from './answer-stream.ts'
import { DiffBlock } from './diff-block.ts'
import { GrowingText } from './growing-text.ts'
import { promptOf } from './prompt-editor.ts'
import type { Screen } from './screen.ts'
import { TextBlock } from './text-block.ts'
import { ToolBlock } from './tool-block.ts'

type EventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

/** Draws a conversation: messages, answers, tool calls and notices, each cleaned of what could steer the terminal. */
export class Transcript {
  settings: ViewSettings = defaultViewSettings
  readonly #screen: Screen
  readonly #theme: Theme
  readonly #setActivity: (activity: string) => void
  readonly #tools = new Map<string, ToolBlock>()
  #clean = createTextCleaner()
  #cleanReasoning = createTextCleaner()
  #answer: AnswerStream | undefined
  #reasoning: GrowingText | undefined
  #context: { readonly tokens: number; readonly length: number } | undefined
  #lastTool: string | undefined
  /** What came last, so that tool lines stand together and everything else apart. */
  #last: 'tool' | 'note' | 'other' = 'other'

  constructor(screen: Screen, theme: Theme, setActivity: (activity: string) => void) {
    this.#screen = screen
    this.#theme = theme
    this.#setActivity = setActivity
  }

  print(text: string, tone: Tone = 'plain'): void {
    const { dim, ok, warn, error } = this.#theme
    const paints = { plain: undefined, dim, ok, warning: warn, error } as const
    this.#screen.append(new TextBlock(cleanText(text), { paint: paints[tone], gap: this.#gapBefore('note') }))
  }

  showMessage(text: string): void {
    const { bold } = this.#theme
    const options = { prefix: promptOf(this.#theme), paint: bold, gap: this.#gapBefore('other') }
    this.#screen.append(new TextBlock(cleanText(text), options))
  }

  showAnswer(markdown: string): void {
    const answer = this.#newAnswer()
    answer.push(cleanText(markdown))
    answer.end()
  }

  showToolCall(name: string, preview: string): void {
    this.#newTool({ name, preview }).end(undefined)
  }

  showEvent(event: TurnEvent): void {
    switch (event.type) {
      case 'turn-start':
        this.#context = undefined
        this.#lastTool = undefined
        break
      case 'reasoning-delta':
        this.#showReasoning(event.text)
        break
      case 'text-delta':
        this.#showText(event.text)
        break
      case 'answer-reset':
        this.#resetAnswer()
        break
      case 'answer-end':
        this.#endAnswer(event)
        break
      case 'tool-start':
        this.#startTool(event)
        break
      case 'tool-progress':
        this.#tools.get(event.callId)?.progress(cleanLine(event.text.trimEnd().split('\n').at(-1) ?? ''))
        break
      case 'tool-end':
        this.#endTool(event)
        break
      case 'decision-request':
        this.#setActivity('waiting for your answer')
        break
      case 'decision-result':
        this.#showDecision(event)
        break
      case 'usage':
        this.#context = { tokens: event.contextTokens, length: event.contextLength }
        break
      case 'notice':
        this.print(event.message, event.level === 'warning' ? 'warning' : 'dim')
        break
      case 'compaction-start':
        this.#setActivity('compacting')
        break
      case 'compaction':
        this.#context = undefined
        this.print(compactionLine(event), 'dim')
        this.#setActivity('waiting for the model')
        break
      case 'turn-end':
        this.#endTurn(event)
        break
    }
    this.#screen.requestRender()
  }

  #showReasoning(text: string): void {
    this.#setActivity('thinking')
    if (!this.settings.showReasoning) return
    this.#reasoning ??= new GrowingText(this.#screen, (line) => this.#theme.dim(this.#theme.italic(line)), {
      gap: this.#gapBefore('other'),
    })
    this.#reasoning.push(this.#cleanReasoning(text))
  }

  #showText(text: string): void {
    this.#endReasoning()
    this.#setActivity('answering')
    if (!this.settings.streaming) return
    this.#answer ??= this.#newAnswer()
    this.#answer.push(this.#clean(text))
  }

  #resetAnswer(): void {
    this.#endReasoning()
    if (this.#answer && !this.#answer.remove()) this.print('(The answer broke off and begins again.)', 'warning')
    this.#answer = undefined
    this.#clean = createTextCleaner()
  }

  #endAnswer({ text }: EventOf<'answer-end'>): void {
    this.#endReasoning()
    // Not streamed, whether by choice or because the model sent it whole.
    if (!this.#answer && text.trim() !== '') this.showAnswer(text)
    this.#answer?.end()
    this.#answer = undefined
    this.#clean = createTextCleaner()
    this.#setActivity('waiting for the model')
  }

  #startTool({ callId, name, preview }: EventOf<'tool-start'>): void {
    this.#setActivity(`running ${cleanLine(name)}`)
    const { toolProgress, previewLength } = this.settings
    const isHidden = toolProgress === 'off' || (toolProgress === 'new' && name === this.#lastTool)
    this.#lastTool = name
    if (isHidden) return
    const shown = previewLength > 0 ? Array.from(preview).slice(0, previewLength).join('') : preview
    this.#tools.set(callId, this.#newTool({ name, preview: shown }))
  }

  #endTool({ callId, name, status, durationMs, content }: EventOf<'tool-end'>): void {
    const block = this.#tools.get(callId)
    this.#tools.delete(callId)
    if (this.#tools.size === 0) this.#setActivity('waiting for the model')
    block?.end({ status, durationMs, problem: status === 'error' ? cleanLine(problemOf(content)) : undefined })
    if (!block) return
    const diff = this.settings.inlineDiffs ? diffOf(content) : undefined
    if (diff) this.#screen.append(new DiffBlock(cleanText(diff), this.#theme))
    else if (this.settings.toolProgress === 'verbose') this.#showOutput(name, content, block)
  }

  #showOutput(name: string, content: string, block: ToolBlock): void {
    // Calls that ran side by side end in any order: then the output says whose it is.
    const title = this.#screen.endsWith(block) ? '' : `${name}:\n`
    const output = `${title}${cleanText(shownOutput(content))}`
    const prefix = `${this.#theme.dim(this.#theme.skin.toolPrefix)}   `
    if (output.trim() !== '') this.#screen.append(new TextBlock(output, { paint: this.#theme.dim, prefix }))
  }

  #showDecision({ answer }: EventOf<'decision-result'>): void {
    const [note, tone] = answerNote(answer)
    this.print(note, tone)
    this.#setActivity(this.#tools.size > 0 ? 'working' : 'waiting for the model')
  }

  #endTurn({ status, failure, usage, durationMs }: EventOf<'turn-end'>): void {
    this.#endReasoning()
    this.#answer?.end()
    this.#answer = undefined
    this.#clean = createTextCleaner()
    for (const block of this.#tools.values()) block.end(undefined)
    this.#tools.clear()
    if (status === 'cancelled') this.print('Interrupted.', 'warning')
    if (failure) this.print(failure.message, status === 'failed' ? 'error' : 'warning')
    const sent = sentTokens(usage)
    if (sent + usage.outputTokens === 0) return
    const context = this.#context ? ` · context ${formatContext(this.#context.tokens, this.#context.length)}` : ''
    this.print(
      `${formatCount(sent)} in, ${formatCount(usage.outputTokens)} out${context} · ${seconds(durationMs)}`,
      'dim',
    )
  }

  #endReasoning(): void {
    this.#reasoning?.end()
    this.#reasoning = undefined
    this.#cleanReasoning = createTextCleaner()
  }

  #newAnswer(): AnswerStream {
    return new AnswerStream(this.#screen, this.#theme, { gap: this.#gapBefore('other') })
  }

  #newTool(call: { readonly name: string; readonly preview: string }): ToolBlock {
    const options = { theme: this.#theme, gap: this.#gapBefore('tool'), startedAt: performance.now() }
    const block = new ToolBlock(call, options)
    this.#screen.append(block)
    return block
  }

  #gapBefore(kind: 'tool' | 'note' | 'other'): boolean {
    const apart = kind === 'other' || this.#last !== kind
    this.#last = kind
    return apart && !this.settings.compact
  }
}
