import { z } from 'zod'
import { BrowserError } from '../browser-error.ts'
import type { CdpConnection, CdpSession } from '../cdp/connection.ts'
import { createActivity } from './activity.ts'
import type { Activity } from './activity.ts'
import { createConsoleLog } from './console-log.ts'
import type { ConsoleLog } from './console-log.ts'
import { createElementRefs } from './element.ts'
import type { ElementRefs, FrameSpot, PageElement } from './element.ts'
import { checkRequests } from './request-check.ts'
import type { RequestCheck } from './request-check.ts'

/** A question of the page that stops it until it is answered. */
export interface Dialog {
  readonly type: 'confirm' | 'prompt'
  readonly message: string
  readonly defaultText: string
}

export interface PageOptions {
  readonly connection: CdpConnection
  readonly session: CdpSession
  readonly targetId: string
  readonly openerId: string | undefined
  readonly check: RequestCheck | undefined
  /** Told what the model should know. */
  notice(text: string): void
}

const attached = z.looseObject({
  sessionId: z.string(),
  targetInfo: z.looseObject({ targetId: z.string(), type: z.string() }),
})
const detached = z.looseObject({ sessionId: z.string() })
const navigated = z.looseObject({ frame: z.looseObject({ id: z.string(), parentId: z.string().optional() }) })
const opening = z.looseObject({
  type: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
  message: z.string(),
  defaultPrompt: z.string().catch(''),
})
const chooser = z.looseObject({ backendNodeId: z.number().optional() })

/** Longest that a question waits before it is answered with no. */
const dialogTimeoutMs = 120_000

/** One tab. */
export class Page {
  readonly session: CdpSession
  readonly targetId: string
  readonly openerId: string | undefined
  readonly console: ConsoleLog = createConsoleLog()
  readonly refs: ElementRefs = createElementRefs()
  readonly activity: Activity
  /** Why the last page was refused, where requests are stopped to be judged. */
  refusal: string | undefined
  readonly #options: PageOptions
  /** Sessions of frames in processes of their own, by frame. */
  readonly #frames = new Map<string, CdpSession>()
  #dialog: Dialog | undefined
  #dialogTimer: NodeJS.Timeout | undefined
  #dialogOpened = Promise.withResolvers<void>()

  constructor(options: PageOptions) {
    this.#options = options
    this.session = options.session
    this.targetId = options.targetId
    this.openerId = options.openerId
    // The main frame of a tab has the tab's id.
    this.activity = createActivity(options.targetId)
  }

  get dialog(): Dialog | undefined {
    return this.#dialog
  }

  /** The session of a frame that has a process of its own. */
  frameSession(frameId: string): CdpSession | undefined {
    return this.#frames.get(frameId)
  }

  get mainFrame(): FrameSpot {
    return { session: this.session, frameId: this.targetId, owner: undefined }
  }

  /** Begins to hear a page that waits to be let go. */
  async start(): Promise<void> {
    const { session } = this
    session.on('Page.frameNavigated', navigated, ({ frame }) => {
      if (frame.parentId === undefined) this.refs.forget()
    })
    session.on('Page.javascriptDialogOpening', opening, (dialog) => this.#dialogOpens(dialog))
    session.on('Page.javascriptDialogClosed', z.unknown(), () => this.#dialogClosed())
    session.on('Page.fileChooserOpened', chooser, () =>
      this.#options.notice(
        'The page asks for a file: call browser_type with the file input as ref and the path of the file as text.',
      ),
    )
    await Promise.all([
      this.#follow(session, 'page'),
      session.send('Page.setInterceptFileChooserDialog', { enabled: true }),
      session.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
    ])
  }

  /** The element that a reference names. Throws `BrowserError`. */
  element(ref: string): PageElement {
    const name = ref
      .trim()
      .replace(/^@/, '')
      .replace(/^\[?ref=|\]$/g, '')
    const element = this.refs.find(name)
    if (element) return element
    throw new BrowserError(
      'stale-ref',
      `There is no element @${name} on the page as it is now: call browser_snapshot and use a ref from it.`,
    )
  }

  /** Throws while the page waits for an answer, since nothing else works then. */
  refuseDialog(): void {
    if (!this.#dialog) return
    const { type, message } = this.#dialog
    throw new BrowserError('dialog', `The page waits for the answer to a ${type} ("${message}"): call browser_dialog.`)
  }

  /** Does something in the page; a question of the page ends the wait, and what was begun goes on after the answer. */
  async act(work: Promise<unknown>): Promise<void> {
    work.catch(() => undefined)
    await Promise.race([work, this.#dialogOpened.promise])
  }

  /** Waits until the page has done what follows from an action. */
  async settle(signal: AbortSignal, loadMs: number): Promise<void> {
    await this.activity.quiet({ loadMs, isOver: () => this.#dialog !== undefined }, signal)
  }

  /** Answers the question that the page waits for. Throws `BrowserError` when there is none. */
  async answerDialog(accept: boolean, text: string | undefined): Promise<Dialog> {
    const dialog = this.#dialog
    if (!dialog) throw new BrowserError('dialog', 'No dialog is open.')
    const promptText = text ?? dialog.defaultText
    await this.session.send('Page.handleJavaScriptDialog', { accept, ...(accept && { promptText }) })
    this.#dialogClosed()
    return dialog
  }

  /** The address and the title. */
  async location(signal: AbortSignal): Promise<{ readonly url: string; readonly title: string }> {
    const { result } = await this.session.send(
      'Runtime.evaluate',
      { expression: '[location.href, document.title]', returnByValue: true },
      z.looseObject({ result: z.looseObject({ value: z.tuple([z.string(), z.string()]) }) }),
      { signal },
    )
    const [url, title] = result.value
    return { url, title }
  }

  /** It has gone. */
  ended(): void {
    clearTimeout(this.#dialogTimer)
    this.#dialogOpened.resolve()
  }

  /** Alerts need no answer, and who has left a page for another is not asked whether to leave. */
  #dialogOpens({ type, message, defaultPrompt }: z.infer<typeof opening>): void {
    if (type === 'alert' || type === 'beforeunload') {
      this.#options.notice(type === 'alert' ? `The page showed an alert: "${message}"` : 'The page asked to stay.')
      this.session.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => undefined)
      return
    }
    this.#dialog = { type, message, defaultText: defaultPrompt }
    this.#options.notice(
      `The page asks (${type}): "${message}". Answer with browser_dialog before anything else; it is refused after ${dialogTimeoutMs / 1000} s.`,
    )
    this.#dialogTimer = setTimeout(() => {
      this.answerDialog(false, undefined).catch(() => undefined)
    }, dialogTimeoutMs).unref()
    this.#dialogOpened.resolve()
  }

  #dialogClosed(): void {
    clearTimeout(this.#dialogTimer)
    if (!this.#dialog) return
    this.#dialog = undefined
    this.#dialogOpened = Promise.withResolvers()
  }

  /** Hears a document or worker and those within it; then lets it run. */
  async #follow(session: CdpSession, kind: string): Promise<void> {
    const { connection, check } = this.#options
    session.on('Target.attachedToTarget', attached, ({ sessionId, targetInfo }) => {
      const child = connection.session(sessionId)
      if (targetInfo.type === 'iframe') this.#frames.set(targetInfo.targetId, child)
      // Frames and workers come and go; one that has gone needs nothing.
      this.#follow(child, targetInfo.type).catch(() => this.#frames.delete(targetInfo.targetId))
    })
    session.on('Target.detachedFromTarget', detached, ({ sessionId }) => {
      for (const [frameId, one] of this.#frames) if (one.id === sessionId) this.#frames.delete(frameId)
    })
    this.console.follow(session)
    this.activity.follow(session)
    const isDocument = kind === 'page' || kind === 'iframe'
    const domains = isDocument ? ['Page', 'Runtime', 'Log', 'Network'] : ['Runtime']
    await Promise.all([
      ...domains.map((domain) => session.send(`${domain}.enable`)),
      session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      isDocument && check ? checkRequests(session, check) : undefined,
      // Taken up in order, so after all the others; some of which a tab answers only once it runs.
      session.send('Runtime.runIfWaitingForDebugger'),
    ])
  }
}
