import { setTimeout as delay } from 'node:timers/promises'
import { setKeybindings, KeybindingsManager, TUI_KEYBINDINGS } from '@earendil-works/pi-tui/dist/keybindings.js'
import { isKeyRelease, matchesKey } from '@earendil-works/pi-tui/dist/keys.js'
import { ProcessTerminal } from '@earendil-works/pi-tui/dist/terminal.js'
import { setCapabilities } from '@earendil-works/pi-tui/dist/terminal-image.js'
import type { Component } from '@earendil-works/pi-tui/dist/tui.js'
import { bannerLines } from '../banner.ts'
import type { BannerFacts } from '../banner.ts'
import type { Conversation } from '../conversation.ts'
import type { FirstPaint } from '../first-paint.ts'
import { setRawMode } from '../first-paint.ts'
import { appendHistory, loadHistory } from '../history-file.ts'
import { ownErrors } from '../own-errors.ts'
import type { ReplOptions } from '../repl-options.ts'
import type { Theme } from '../theme.ts'
import type { DecisionPanel } from './panel-options.ts'
import { PromptEditor } from './prompt-editor.ts'
import type { Block } from './screen.ts'
import { Screen } from './screen.ts'
import { StatusLine } from './status-line.ts'
import { suspend } from './suspend.ts'

/** Two presses of Ctrl-C within this end the program at once when a turn does not stop, ms. */
const forceMs = 2_000
/** Someone whose last key is no older is typing, ms. */
const typingMs = 1_000
/** How long keys that were typed before the editor was there have to come in, ms. */
const earlyKeysMs = 10
/** How long leaving waits for what the terminal still sends, ms. */
const drainMs = 100
/** How long a forced end waits for anything, ms. */
const forcedLimitMs = 500

/** The same when the terminal is gone. */
const lostLimitMs = 5_000

/** Leads a conversation on a terminal that can move its cursor. Resolves to the exit code. */
export async function runTerminalFace(
  options: ReplOptions,
  { theme, facts, paint }: { readonly theme: Theme; readonly facts: BannerFacts; readonly paint: FirstPaint },
): Promise<number> {
  const face = new TerminalFace(options, theme, facts)
  return face.run(paint)
}

class TerminalFace {
  readonly #options: ReplOptions
  readonly #theme: Theme
  readonly #screen: Screen
  readonly #status: StatusLine
  readonly #editor: PromptEditor
  readonly #leaving = Promise.withResolvers<void>()
  #isForced = false
  /** The terminal was closed. */
  #isLost = false
  /** Entered before the conversation was open. */
  readonly #early: string[] = []
  /** Entered before the input history was loaded. */
  #recent: string[] | undefined = []
  #conversation: Conversation | undefined
  #panel: DecisionPanel | undefined
  #noticeKey = () => {}
  #interruptedAt = Number.NEGATIVE_INFINITY
  #typedAt = Number.NEGATIVE_INFINITY

  constructor(options: ReplOptions, theme: Theme, facts: BannerFacts) {
    this.#options = options
    this.#theme = theme
    const hasColors = theme.level === 'truecolor'
    // Said outright, so that the library does not look for it (it would ask tmux).
    setCapabilities({ images: null, trueColor: hasColors, hyperlinks: false })
    setKeybindings(
      new KeybindingsManager(TUI_KEYBINDINGS, { 'tui.input.newLine': ['shift+enter', 'alt+enter', 'ctrl+j'] }),
    )
    const footer: Component = { render: (width) => this.#footer(width), invalidate() {} }
    this.#screen = new Screen(options.terminal ?? new ProcessTerminal(), footer, { styled: theme.level !== 'none' })
    this.#status = new StatusLine(theme, () => this.#screen.requestRender())
    this.#editor = new PromptEditor(this.#screen, theme)
    this.#editor.onSubmit = (text) => this.#submit(text)
    this.#screen.append(bannerBlock(facts, theme))
  }

  async run(paint: FirstPaint): Promise<number> {
    const { cli } = this.#options
    this.#screen.adopt(paint.rows, paint.promptWidth)
    this.#screen.addInputListener((data) => (this.#takesKey(data) ? { consume: true } : undefined))
    this.#start()
    const leave = () => this.#leaving.resolve()
    const lose = () => {
      this.#isLost = true
      leave()
    }
    const giveErrorsBack = ownErrors(cli.stdout, lose)
    for (const event of ['end', 'close', 'error']) cli.stdin.on(event, lose)
    cli.signal.addEventListener('abort', leave)
    const opening = this.#drawEarlyKeys().then(() => this.#open())
    try {
      await Promise.race([this.#leaving.promise, opening.then(() => this.#leaving.promise)])
      return this.#isForced || this.#isLost || cli.signal.aborted ? 130 : 0
    } finally {
      await this.#close(opening)
      cli.signal.removeEventListener('abort', leave)
      for (const event of ['end', 'close', 'error']) cli.stdin.off(event, lose)
      // What is still to come of a lost terminal concerns nobody.
      if (!this.#isLost) giveErrorsBack()
    }
  }

  #start(): void {
    this.#screen.start()
    this.#screen.setFocus(this.#panel ?? this.#editor)
  }

  /** Shows what was typed since the first paint: loading what comes next would keep it waiting. */
  async #drawEarlyKeys(): Promise<void> {
    await delay(earlyKeysMs)
    this.#screen.renderNow()
  }

  /** Loads what a conversation needs while the person may be typing already. */
  async #open(): Promise<void> {
    const { openAgent, firstMessage } = this.#options
    const history = this.#readHistory()
    const [agent, { openConversation }, { terminalView }, { inputCompletion }, { slashCommands }] = await Promise.all([
      openAgent(),
      import('../conversation.ts'),
      import('./terminal-view.ts'),
      import('./completion.ts'),
      import('../slash/registry.ts'),
    ])
    const problem = await history
    if (problem) agent.log.warn({ error: problem }, 'input history not read')
    const { decisionTimeoutMs } = await import('../decision-timeout.ts')
    const view = terminalView({
      screen: this.#screen,
      theme: this.#theme,
      status: this.#status,
      timeoutMs: (kind) => decisionTimeoutMs(kind, agent),
      showPanel: (panel) => this.#show(panel),
      isTyping: () => this.#editor.getText() !== '' && performance.now() - this.#typedAt < typingMs,
    })
    this.#noticeKey = () => view.noticeKey()
    const conversation = await openConversation(this.#options, agent, view)
    this.#conversation = conversation
    this.#editor.setAutocompleteProvider(inputCompletion(slashCommands, () => conversation))
    void conversation.left.then(() => this.#leaving.resolve())
    this.#status.setWaiting([])
    if (firstMessage) conversation.send(firstMessage)
    for (const text of this.#early.splice(0)) conversation.submit(text)
  }

  /** Puts the history below what was entered meanwhile. */
  /** Resolves to why it could not be read; the chat does without it then. */
  async #readHistory(): Promise<string | undefined> {
    try {
      this.#remember(await loadHistory(this.#options.home.path('.hermes_history')))
      return undefined
    } catch (error) {
      this.#remember([])
      return String(error)
    }
  }

  #remember(entries: readonly string[]): void {
    for (const one of [...entries, ...(this.#recent ?? [])]) this.#editor.addToHistory(one)
    this.#recent = undefined
  }

  async #close(opening: Promise<void>): Promise<void> {
    const { cli } = this.#options
    this.#status.close()
    // Keys and answers of the terminal that are still under way would end up in the shell.
    if (!this.#isForced && !this.#isLost) await this.#screen.terminal.drainInput(drainMs, drainMs / 4)
    this.#screen.leave()
    setRawMode(cli.stdin, false)
    const { within } = await import('../within.ts')
    // A failure to open is what `run` throws.
    await within(
      opening.catch(() => undefined),
      forcedLimitMs,
    )
    const resumable = await this.#conversation?.close(this.#limitMs())
    if (resumable) cli.stdout.write(`\nGo on with this session: hermes --resume ${resumable}\n`)
  }

  /** Only a person who leaves in peace is kept waiting for what should be remembered. */
  #limitMs(): number | undefined {
    if (this.#isForced) return forcedLimitMs
    return this.#isLost ? lostLimitMs : undefined
  }

  #footer(width: number): readonly string[] {
    return this.#panel ? this.#panel.render(width) : [...this.#status.render(width), ...this.#editor.render(width)]
  }

  #show(panel: DecisionPanel | undefined): void {
    this.#panel = panel
    this.#screen.setFocus(panel ?? this.#editor)
    this.#screen.requestRender()
  }

  #submit(text: string): void {
    this.#typedAt = Number.NEGATIVE_INFINITY
    if (text === '') return
    if (this.#recent) this.#recent.push(text)
    else this.#editor.addToHistory(text)
    void appendHistory(this.#options.home.path('.hermes_history'), text, new Date()).catch((error: unknown) =>
      this.#conversation?.agent.log.warn({ error: String(error) }, 'input history not written'),
    )
    if (this.#conversation) {
      this.#conversation.submit(text)
    } else {
      this.#early.push(text)
      this.#status.setWaiting(this.#early.map((one) => one.replace(/\s+/g, ' ')))
    }
  }

  /** Keys that mean the same wherever the cursor is. True when the key is dealt with. */
  #takesKey(data: string): boolean {
    if (isKeyRelease(data)) return false
    if (this.#panel) this.#noticeKey()
    else this.#typedAt = performance.now()
    if (matchesKey(data, 'ctrl+z')) this.#suspend()
    else if (matchesKey(data, 'ctrl+l')) this.#screen.repaint()
    else if (this.#panel) return false
    else if (matchesKey(data, 'ctrl+c')) this.#interrupt()
    else if (matchesKey(data, 'ctrl+d') && this.#editor.getText() === '') this.#leaving.resolve()
    else return false
    return true
  }

  #interrupt(): void {
    const now = performance.now()
    if (this.#conversation?.isBusy) {
      this.#isForced = this.#conversation.isStopping && now - this.#interruptedAt < forceMs
      this.#interruptedAt = now
      this.#conversation.interrupt()
      if (this.#isForced) this.#leaving.resolve()
    } else if (this.#editor.getText() !== '') {
      this.#editor.setText('')
      this.#screen.requestRender()
    } else {
      this.#leaving.resolve()
    }
  }

  #suspend(): void {
    const { cli } = this.#options
    this.#screen.leave()
    setRawMode(cli.stdin, false)
    suspend(() => this.#start())
  }
}

function bannerBlock(facts: BannerFacts, theme: Theme): Block {
  return { final: true, steady: true, render: (width) => bannerLines(facts, theme, width - 1), invalidate() {} }
}
