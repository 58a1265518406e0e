import type { Component } from '@earendil-works/pi-tui/dist/tui.js'
import { truncateToWidth } from '@earendil-works/pi-tui/dist/utils.js'
import { seconds } from '../../tool-line.ts'
import type { Theme } from '../theme.ts'
import { spinnerFrame, spinnerIntervalMs } from './spinner.ts'

/** Above the prompt while a turn runs: a spinner, what is going on, for how long, and what waits for its end. */
export class StatusLine implements Component {
  readonly #theme: Theme
  readonly #requestRender: () => void
  #busySince: number | undefined
  #activity = ''
  #waiting: readonly string[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(theme: Theme, requestRender: () => void) {
    this.#theme = theme
    this.#requestRender = requestRender
  }

  setBusy(busy: boolean): void {
    this.#busySince = busy ? performance.now() : undefined
    this.#activity = 'waiting for the model'
    clearInterval(this.#timer)
    if (busy) this.#timer = setInterval(this.#requestRender, spinnerIntervalMs)
    this.#requestRender()
  }

  /** What the turn is at, e.g. `thinking`. */
  setActivity(activity: string): void {
    this.#activity = activity
  }

  /** Clean texts, one line each. */
  setWaiting(messages: readonly string[]): void {
    this.#waiting = messages
    this.#requestRender()
  }

  render(width: number): string[] {
    const { dim, accent } = this.#theme
    const waiting = this.#waiting.map((text) => truncateToWidth(dim(`  next: ${text}`), width, '…'))
    if (this.#busySince === undefined) return ['', ...waiting]
    const elapsed = performance.now() - this.#busySince
    const time = seconds(elapsed).replace(/\.\d/, '')
    const line = `${accent(spinnerFrame(elapsed))} ${dim(`${this.#activity} · ${time} · Ctrl-C stops`)}`
    return ['', truncateToWidth(line, width, '…'), ...waiting]
  }

  invalidate(): void {}

  /** Stops turning. */
  close(): void {
    clearInterval(this.#timer)
  }
}
