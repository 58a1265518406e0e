// Preloaded into a program: its clock runs a day in ten seconds, and so do its timers. What it waits for from outside
// comes as it comes.
import { createRequire, syncBuiltinESMExports } from 'node:module'

const factor = 8_640
const { now } = Date
const startedAt = now()
const fastNow = () => startedAt + (now() - startedAt) * factor

class FastDate extends Date {
  constructor(...args: readonly unknown[]) {
    // As the built-in has it: without arguments it is now.
    super(...((args.length === 0 ? [fastNow()] : args) as [number]))
  }
  static override now(): number {
    return fastNow()
  }
}
globalThis.Date = FastDate as DateConstructor

const fast = (ms: number | undefined) => Math.max(1, (ms ?? 0) / factor)
const require = createRequire(import.meta.url)
const timers = require('node:timers') as typeof import('node:timers')
const waits = require('node:timers/promises') as typeof import('node:timers/promises')
const { setTimeout: once, setInterval: again } = globalThis
const { setTimeout: wait, setInterval: every } = waits
const hurry = <Timer extends (...args: never[]) => unknown>(timer: Timer, at: number) =>
  ((...args: never[]) => timer(...(args.map((arg, n) => (n === at ? fast(arg) : arg)) as never[]))) as unknown as Timer
globalThis.setTimeout = timers.setTimeout = Object.assign(hurry(once, 1), once)
globalThis.setInterval = timers.setInterval = Object.assign(hurry(again, 1), again)
waits.setTimeout = hurry(wait, 0)
waits.setInterval = hurry(every, 0)
syncBuiltinESMExports()
