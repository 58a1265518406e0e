import { z } from 'zod'
import type { BackendContext, OpenBrowser } from './browser-backend.ts'
import { BrowserError } from './browser-error.ts'
import { followDownloads } from './downloads.ts'
import type { Downloads } from './downloads.ts'
import { browserRules } from './network.ts'
import type { NetworkRules } from '../security/network/network-rules.ts'
import type { AgentContext } from '../agent/context.ts'
import { Page } from './page/page.ts'
import { startRecording } from './recording.ts'
import type { Recording } from './recording.ts'

export interface BrowserSessionOptions extends BackendContext, Pick<AgentContext, 'clock'> {}

const targetInfo = z.looseObject({ targetId: z.string(), type: z.string(), openerId: z.string().optional() })
const attached = z.looseObject({ sessionId: z.string(), targetInfo })
const target = z.looseObject({ targetId: z.string() })
const detached = z.looseObject({ sessionId: z.string() })

/** Most tabs open at once; what a page opens beyond is closed. */
const maxPages = 12
const maxNotices = 30
const startTimeoutMs = 15_000

/** A browser of one session of the agent, and its tabs. */
export class BrowserSession implements AsyncDisposable {
  readonly browser: OpenBrowser
  readonly rules: NetworkRules
  #downloads: Downloads = { running: 0 }
  #recording: Recording | undefined
  readonly #options: BrowserSessionOptions
  /** In the order in which they were opened; the last one is the one that is used. */
  readonly #pages = new Map<string, Page>()
  readonly #starting = new Map<string, Promise<Page>>()
  #notices: string[] = []
  #creating = 0
  #isReady = false

  constructor(browser: OpenBrowser, options: BrowserSessionOptions) {
    this.browser = browser
    this.#options = options
    this.rules = browserRules(options)
  }

  get isOpen(): boolean {
    return !this.browser.connection.isClosed
  }

  get downloadsRunning(): number {
    return this.#downloads.running
  }

  /** Begins to follow what is opened. */
  async start(): Promise<void> {
    const { connection } = this.browser
    const { config } = this.#options
    connection.browser.on('Target.attachedToTarget', attached, (event) => this.#attached(event))
    connection.browser.on('Target.detachedFromTarget', detached, ({ sessionId }) => this.#detached(sessionId))
    const params = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }
    await connection.browser.send('Target.setAutoAttach', params)
    this.#isReady = true
    this.#downloads = await followDownloads(this.browser, {
      home: this.#options.home,
      notice: (text) => this.notice(text),
    })
    if (config.browser.record_sessions) this.#recording = await startRecording(this.#options)
  }

  /** The tab that is used. Throws `BrowserError` when there is none. */
  page(): Page {
    const page = [...this.#pages.values()].at(-1)
    if (page) return page
    throw new BrowserError('no-page', 'No page is open: call browser_navigate first.')
  }

  /** The tab that is used, a new one where there is none. */
  async pageOrNew(): Promise<Page> {
    const page = [...this.#pages.values()].at(-1)
    return page ?? this.#newPage()
  }

  /** Waits for tabs that were opened just now, and for the recording to follow. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#starting.values())
    const page = [...this.#pages.values()].at(-1)
    if (page) await this.#recording?.follow(page)
  }

  /** Gives up what is still loading: until a page has arrived or not, the browser tells nothing of it. */
  async stopLoading(): Promise<void> {
    const page = [...this.#pages.values()].at(-1)
    await page?.session.send('Page.stopLoading')
  }

  /** Closes the tab that is used; the one before it is used again. False when it is the only one. */
  async closePage(): Promise<boolean> {
    const page = this.page()
    if (this.#pages.size < 2) return false
    this.#ended(page)
    await this.browser.connection.browser.send('Target.closeTarget', { targetId: page.targetId })
    return true
  }

  /** Tells the model something with the next result. */
  notice(text: string): void {
    if (this.#notices.length < maxNotices) this.#notices.push(text)
  }

  /** What is to be told since the last time. */
  takeNotices(): readonly string[] {
    const notices = this.#notices
    this.#notices = []
    return notices
  }

  /** Ends the browser before anything else. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.browser.isShared ? this.#leave() : this.browser[Symbol.asyncDispose]()
    for (const page of this.#pages.values()) page.ended()
    this.#pages.clear()
    await this.#recording?.[Symbol.asyncDispose]()
    await closed
  }

  /** In a browser that a person uses too, only what was opened here is closed. */
  async #leave(): Promise<void> {
    const { browser } = this.browser.connection
    const closing = [...this.#pages.keys()].map((targetId) => browser.send('Target.closeTarget', { targetId }))
    await Promise.allSettled(closing)
    await this.browser[Symbol.asyncDispose]()
  }

  async #newPage(): Promise<Page> {
    const { browser } = this.browser.connection
    this.#creating++
    try {
      const options = { timeoutMs: startTimeoutMs }
      const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' }, target, options)
      const page = (await this.#starting.get(targetId)) ?? this.#pages.get(targetId)
      if (!page) throw new BrowserError('failed', 'The browser opened no tab.')
      return page
    } finally {
      this.#creating--
    }
  }

  #attached({ sessionId, targetInfo: info }: z.infer<typeof attached>): void {
    const { connection, isShared, checkedBy } = this.browser
    const session = connection.session(sessionId)
    const isOpened = info.openerId !== undefined && this.#pages.has(info.openerId)
    // What was there before is somebody else's; in a browser that a person uses, so is what nobody here has opened.
    const isOurs = info.type === 'page' && this.#isReady && (isOpened || this.#creating > 0 || !isShared)
    if (!isOurs) {
      session.send('Runtime.runIfWaitingForDebugger').catch(() => undefined)
      connection.browser.send('Target.detachFromTarget', { sessionId }).catch(() => undefined)
      return
    }
    if (this.#pages.size >= maxPages) {
      connection.browser.send('Target.closeTarget', { targetId: info.targetId }).catch(() => undefined)
      return
    }
    const page: Page = new Page({
      connection,
      session,
      targetId: info.targetId,
      openerId: info.openerId,
      check:
        checkedBy === 'itself'
          ? undefined
          : { rules: this.rules, what: checkedBy, refused: (reason) => void (page.refusal = reason) },
      notice: (text) => this.notice(text),
    })
    session.on('Inspector.targetCrashed', z.unknown(), () => {
      this.notice('The page crashed: open it again with browser_navigate.')
      this.#ended(page)
      connection.browser.send('Target.closeTarget', { targetId: page.targetId }).catch(() => undefined)
    })
    this.#pages.set(info.targetId, page)
    if (isOpened) this.notice('The page opened a new tab, which is the current one now; browser_back closes it.')
    const started = page.start().then(() => page)
    this.#starting.set(info.targetId, started)
    started.catch(() => this.#ended(page)).finally(() => this.#starting.delete(info.targetId))
  }

  #detached(sessionId: string): void {
    for (const page of this.#pages.values()) {
      if (page.session.id !== sessionId) continue
      if (page.openerId !== undefined) this.notice('The tab was closed; the one before it is the current one again.')
      this.#ended(page)
    }
  }

  #ended(page: Page): void {
    this.#pages.delete(page.targetId)
    page.ended()
  }
}
