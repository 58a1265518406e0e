import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { TurnEvent } from '@hermes/core/agent/events.ts'
import type { SessionRef, TurnRequest } from '@hermes/core/agent/turn.ts'
import { addUsage, noUsage } from '@hermes/core/models/model.ts'
import { typedText } from '@hermes/core/context/references/attached-text.ts'
import { newSessionId } from '@hermes/core/sessions/session-id.ts'
import { describeNotification } from '@hermes/core/terminals/process-notification.ts'
import type { ReplOptions } from './repl-options.ts'
import { showResumed } from './show-resumed.ts'
import { slashCommands } from './slash/registry.ts'
import { parseSlash, resolveSlash } from './slash/resolve-slash.ts'
import type { Chat, ChatSettings, ChatUsage, SlashCommand } from './slash/slash-command.ts'
import { within } from './within.ts'
import type { View, ViewSettings } from './view.ts'

type Message = TurnRequest['message']

/** Longest that the end of a chat waits for what should be remembered, ms. */
const savingLimitMs = 20_000

/** How many notices are remembered, to say each once. */
const mostTold = 100

/** Opens the session and shows what was said in it before. Throws what opening it throws. */
export async function openConversation(options: ReplOptions, agent: AgentContext, view: View): Promise<Conversation> {
  const { ref, isResumed } = await options.openSession(agent)
  const conversation = new Conversation(options, view, agent, ref)
  if (isResumed) await showResumed(ref.id, agent, view)
  return conversation
}

/**
 * A conversation of one person with the agent: messages become turns, one at a time and in order; commands act on the
 * session. It knows neither keys nor colours.
 */
export class Conversation implements Chat {
  readonly agent: AgentContext
  readonly view: View
  readonly commands: readonly SlashCommand[] = slashCommands
  readonly settings: ChatSettings
  readonly usage: ChatUsage = {
    turns: 0,
    modelCalls: 0,
    usage: noUsage,
    model: undefined,
    context: undefined,
    turn: undefined,
  }
  pendingTitle: string | undefined
  /** How the last turn ended. */
  lastStatus: Extract<TurnEvent, { type: 'turn-end' }>['status'] | undefined
  readonly #options: ReplOptions
  readonly #left = Promise.withResolvers<void>()
  readonly #ended = new AbortController()
  /** Messages that interrupted a turn; they go before those that were queued. */
  readonly #urgent: Message[] = []
  readonly #queue: Message[] = []
  readonly #told = new Set<string>()
  readonly #commandsRunning = new Set<Promise<void>>()
  #isLeft = false
  #unlisten = () => {}
  #session: SessionRef
  #viewSettings: ViewSettings
  #turn: AbortController | undefined
  #work: Promise<void> | undefined
  #closing: Promise<string | undefined> | undefined
  /** Sessions that were left, being looked through for what should stay. */
  readonly #saving = new Set<Promise<void>>()
  readonly #noSaving = new AbortController()

  constructor(options: ReplOptions, view: View, agent: AgentContext, session: SessionRef) {
    this.#options = options
    this.view = view
    this.agent = agent
    this.#session = session
    const { model, toolsets, instructions } = options.turn
    this.settings = { model, toolsets, instructions, yolo: options.yolo }
    this.#viewSettings = viewSettingsOf(agent, options)
    view.configure(this.#viewSettings)
    this.#enter(session)
  }

  get cwd(): string {
    return this.#options.cwd
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  get session(): SessionRef {
    return this.#session
  }

  get nextTurn(): Omit<TurnRequest, 'message'> {
    const { turn: defaults } = this.#options
    const { model, toolsets, instructions } = this.settings
    const face = { ...defaults.face, name: 'cli', decide: this.view.decide }
    return { ...defaults, model, toolsets, instructions, session: this.#session, face }
  }

  get isBusy(): boolean {
    return this.#turn !== undefined
  }

  /** The running turn was told to stop, and has not ended yet. */
  get isStopping(): boolean {
    return this.#turn?.signal.aborted === true
  }

  get waiting(): readonly string[] {
    return [...this.#urgent, ...this.#queue].map((message) => typedText(message.text) || message.text)
  }

  get viewSettings(): ViewSettings {
    return this.#viewSettings
  }

  set viewSettings(settings: ViewSettings) {
    this.#viewSettings = settings
    this.view.configure(settings)
  }

  /** Resolves when the person wants to leave. */
  get left(): Promise<void> {
    return this.#left.promise
  }

  get isLeft(): boolean {
    return this.#isLeft
  }

  /** Takes what the person entered: a command or a message. */
  submit(text: string): void {
    const slash = parseSlash(text)
    if (slash) this.#slash(slash.name, slash.args)
    else this.send({ text, typedLength: text.length })
  }

  /** Sends a message: at once, or, while a turn runs, as `display.busy_input_mode` says. */
  send(message: Message): void {
    const queues = this.agent.config.display.busy_input_mode === 'queue'
    if (!queues && this.#stopTurn('Interrupted by a new message.')) this.#urgent.push(message)
    else this.#queue.push(message)
    this.#pump()
  }

  enqueue(text: string, typedLength = 0): void {
    this.#queue.push({ text, typedLength })
    this.#pump()
  }

  /** Stops the running turn; what waits is sent next. False when none runs. */
  interrupt(): boolean {
    return this.#stopTurn('Interrupted.')
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    while (this.#work || this.#commandsRunning.size > 0) await Promise.all([this.#work, ...this.#commandsRunning])
  }

  async startNew(endReason: string): Promise<void> {
    this.#save(this.#noSaving.signal)
    await this.#endSession(endReason)
    this.#enter({ id: newSessionId(this.agent.clock), source: this.#session.source })
  }

  async switchTo(session: SessionRef): Promise<void> {
    this.#save(this.#noSaving.signal)
    await this.#endSession('resumed_other')
    await this.agent.sessions.reopen(session.id)
    this.#enter(session)
    await showResumed(session.id, this.agent, this.view)
  }

  goOnAs(session: SessionRef): void {
    this.#enter(session)
  }

  async whileBusy(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController()
    this.#turn = stop
    this.view.setBusy(true)
    try {
      await work(AbortSignal.any([stop.signal, this.#options.cli.signal, this.signal]))
    } finally {
      this.#turn = undefined
      this.view.setBusy(false)
    }
  }

  quit(): void {
    this.#isLeft = true
    this.#left.resolve()
  }

  /**
   * Stops what runs, ends the session and closes the agent. Resolves to the id of the session if it can be resumed.
   * Waits at most `limitMs` (default 5 s) for each of them, whatever hangs. Only where no limit is given and nothing has
   * stopped the program is the conversation looked through before for what should be remembered. Safe to call twice.
   */
  close(limitMs?: number): Promise<string | undefined> {
    this.#closing ??= this.#close(limitMs ?? 5_000, limitMs === undefined && !this.#options.cli.signal.aborted)
    return this.#closing
  }

  async #close(limitMs: number, isInOrder: boolean): Promise<string | undefined> {
    this.#urgent.length = 0
    this.#queue.length = 0
    this.#unlisten()
    this.#ended.abort(new DOMException('The chat was closed.', 'AbortError'))
    this.#stopTurn('The chat was closed.')
    await within(this.idle(), limitMs)
    if (isInOrder) await this.#saveAtEnd()
    this.#noSaving.abort(new DOMException('The chat was closed.', 'AbortError'))
    const hasMessages = await this.#endSession('cli_close')
    await within(this.agent.scopes[Symbol.asyncDispose](), limitMs)
    await this.agent.sessions.close()
    return hasMessages ? this.#session.id : undefined
  }

  #pump(): void {
    this.view.showWaiting(this.#work ? this.waiting : [])
    this.#work ??= this.#workOff().finally(() => (this.#work = undefined))
  }

  async #workOff(): Promise<void> {
    for (;;) {
      const next = this.#urgent.shift() ?? this.#queue.shift() ?? this.#notification()
      if (!next) return
      this.view.showWaiting(this.waiting)
      await this.#guarded(() => this.#runTurn(next))
    }
  }

  async #runTurn(message: Message): Promise<void> {
    const { runTurn } = this.#options
    this.view.showMessage(typedText(message.text) || message.text, 'now')
    await this.whileBusy(async (signal) => {
      for await (const event of runTurn({ ...this.nextTurn, message }, this.agent, signal)) {
        // The background commands, and all else that is kept in memory, go with it.
        if (event.type === 'compaction') this.#session = { ...this.#session, id: event.sessionId }
        // Once people see its end, stopping means something else.
        if (event.type === 'turn-end') this.#turn = undefined
        this.#count(event)
        if (!this.#isKnown(event)) this.view.showEvent(event)
      }
    })
    await this.#givePendingTitle()
  }

  #count(event: TurnEvent): void {
    // A turn that found no model to call names none.
    if (event.type === 'turn-start' && event.model !== '') this.usage.model = `${event.provider}/${event.model}`
    if (event.type === 'turn-start') this.usage.turn = { usage: noUsage, costs: [] }
    if (event.type === 'usage') {
      const { usage, costs } = this.usage.turn ?? { usage: noUsage, costs: [] }
      this.usage.turn = { usage: addUsage(usage, event.usage), costs: event.cost ? [...costs, event.cost] : costs }
      this.usage.context = { tokens: event.contextTokens, length: event.contextLength }
    }
    if (event.type !== 'turn-end') return
    this.lastStatus = event.status
    this.usage.turns += 1
    this.usage.modelCalls += event.modelCalls
    this.usage.usage = addUsage(this.usage.usage, event.usage)
  }

  /** Whether it only says again what was said in an earlier turn, e.g. that the offline model answers. */
  #isKnown(event: TurnEvent): boolean {
    if (event.type !== 'notice' || event.level !== 'info') return false
    const isKnown = this.#told.has(event.message)
    if (this.#told.size >= mostTold) this.#told.clear()
    this.#told.add(event.message)
    return isKnown
  }

  #slash(name: string, args: string): void {
    const match = resolveSlash(name, this.commands)
    if (match.kind === 'ambiguous') {
      this.view.print(`/${name} may be ${match.names.map((one) => `/${one}`).join(', ')}.`, 'warning')
    } else if (match.kind === 'unknown') {
      const running = this.#guarded(() => this.#skill(name, args, match.nearest)).finally(() =>
        this.#commandsRunning.delete(running),
      )
      this.#commandsRunning.add(running)
    } else if (match.command.duringTurn) {
      const running = this.#guarded(() => match.command.run(args, this)).finally(() =>
        this.#commandsRunning.delete(running),
      )
      this.#commandsRunning.add(running)
    } else if (this.#work) {
      this.view.print(`/${match.command.name} has to wait until the turn has ended (Ctrl-C stops it).`, 'warning')
    } else {
      const command = this.#guarded(() => match.command.run(args, this))
      this.#work = command.then(() => this.#workOff()).finally(() => (this.#work = undefined))
    }
  }

  /** What is no command may be a skill. */
  async #skill(name: string, instruction: string, nearest: readonly string[]): Promise<void> {
    const { runSkill } = await import('./slash/skill.ts')
    if (await runSkill(name, instruction, this)) return
    const near = nearest.map((one) => `/${one}`).join(', ')
    this.view.print(`There is no command /${name}. ${near ? `Did you mean ${near}?` : '/help lists them.'}`, 'warning')
  }

  /** The one place where what goes wrong in a turn or a command is told and logged. */
  async #guarded(run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      if (this.signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      this.agent.log.error({ session: this.#session.id, error: String(error) }, 'REPL action failed')
      this.view.print(this.agent.redactor.redact(message), 'error')
    }
  }

  #stopTurn(reason: string): boolean {
    this.#turn?.abort(new DOMException(reason, 'AbortError'))
    return this.#turn !== undefined
  }

  #enter(session: SessionRef): void {
    this.#session = session
    this.pendingTitle = undefined
    this.usage.context = undefined
    const scope = this.agent.scopes.get(session.id)
    if (this.settings.yolo) scope.yolo = true
    this.#unlisten()
    this.#unlisten = scope.processes.onNotification(() => this.#pump())
  }

  /** What background commands have to say, as a message: the agent asked to be told, and hears it between two turns. */
  #notification(): Message | undefined {
    if (this.signal.aborted) return undefined
    const told = this.agent.scopes.get(this.#session.id).processes.takeNotifications()
    return told.length > 0 ? { text: told.map(describeNotification).join('\n\n') } : undefined
  }

  /** Ends the session if it has messages; resolves to whether it has. */
  async #endSession(reason: string): Promise<boolean> {
    const stored = await this.agent.sessions.get(this.#session.id)
    if (!stored || stored.messageCount === 0) return false
    if (stored.endedAt === undefined) await this.agent.sessions.end(stored.id, reason)
    return true
  }

  /** Has the session that is about to be left looked through, while the person goes on. */
  #save(signal: AbortSignal, onWait?: () => void): void {
    const turn = this.nextTurn
    const saving = import('@hermes/core/agent/save-session.ts')
      .then(({ saveSession }) => saveSession({ turn, ...(onWait && { onWait }) }, this.agent, signal))
      .catch((error: unknown) => {
        if (!signal.aborted) this.agent.log.warn({ session: turn.session.id, error: String(error) }, 'not saved')
      })
      .finally(() => this.#saving.delete(saving))
    this.#saving.add(saving)
  }

  /** Ctrl-C, and anything else that ends the program, skips it. */
  async #saveAtEnd(): Promise<void> {
    const { signal, stderr } = this.#options.cli
    const stop = AbortSignal.any([signal, AbortSignal.timeout(savingLimitMs)])
    // The view may have left the screen by now.
    this.#save(
      stop,
      () => void (stderr.isTTY && stderr.write('Saving what should be remembered (Ctrl-C skips it) …\n')),
    )
    const stopped = Promise.withResolvers<void>()
    stop.addEventListener('abort', () => stopped.resolve(), { once: true })
    await Promise.race([Promise.all(this.#saving), stopped.promise])
  }

  async #givePendingTitle(): Promise<void> {
    const title = this.pendingTitle
    if (title === undefined || !(await this.agent.sessions.get(this.#session.id))) return
    this.pendingTitle = undefined
    await this.agent.sessions.rename(this.#session.id, title)
  }
}

function viewSettingsOf({ config }: AgentContext, { toolProgress }: ReplOptions): ViewSettings {
  const { display } = config
  return {
    toolProgress: toolProgress ?? display.tool_progress,
    showReasoning: display.show_reasoning,
    streaming: display.streaming,
    compact: display.compact,
    bell: display.bell_on_complete,
    inlineDiffs: display.inline_diffs,
    previewLength: display.tool_preview_length,
  }
}
