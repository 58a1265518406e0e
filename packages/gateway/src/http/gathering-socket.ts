import type { Socket } from 'node:net'
import { WebSocket } from 'ws'

/** A WebSocket whose frames of one breath leave together: each packet of its own costs more than all that is in it. */
export class GatheringSocket extends WebSocket {
  #wire: Socket | undefined
  #isGathering = false

  /** `wire`: what it writes to. */
  gatherFor(wire: Socket): void {
    this.#wire = wire
  }

  override send(...args: readonly unknown[]): void {
    this.#gather()
    // All of its forms go through.
    super.send(...(args as Parameters<WebSocket['send']>))
  }

  /** What is said until the process looks for other events is held back. */
  #gather(): void {
    const wire = this.#wire
    if (!wire || this.#isGathering) return
    this.#isGathering = true
    wire.cork()
    process.nextTick(() => {
      this.#isGathering = false
      wire.uncork()
    })
  }
}
