import type { Clock } from '../agent/clock.ts'
import type { Home } from '../config/home.ts'
import type { Config } from '../config/schema.ts'
import type { Redactor } from '../security/redact.ts'
import { formatLogLine } from './log-line.ts'
import type { LogEntry } from './log-line.ts'
import type { LogFields, Logger, LogLevel } from './logger.ts'
import { createRotatingFile, type RotatingFile } from './rotating-file.ts'

export interface FileLoggerOptions {
  readonly home: Home
  /** Least important level that is kept. */
  readonly level: Config['logging']['level']
  readonly redactor: Pick<Redactor, 'redact'>
  readonly clock: Pick<Clock, 'now'>
  readonly maxSizeMb?: number
  readonly backups?: number
  /** Lines of the gateway stand in `logs/gateway.log`, too: for its own process. */
  readonly hasGatewayLog?: boolean
  /** The group may read and write the files: a managed installation. */
  readonly isShared?: boolean
}

const rank: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }
const lowest: Readonly<Record<Config['logging']['level'], number>> = {
  DEBUG: 0,
  INFO: 1,
  WARNING: 2,
  ERROR: 3,
  CRITICAL: 3,
}

/** After a failed write, lines are dropped for this long rather than each be tried. */
const retryMs = 5000

/** Lines that wait to be written together: with more, they are written at once. */
const maxWaiting = 500

/**
 * The log of a profile, in the files and the form that upstream's `hermes logs` reads: `logs/agent.log`, warnings and
 * errors in `logs/errors.log` too, and what the gateway says in its `logs/gateway.log`. A warning or an error is in the files
 * when the call returns; lines below that are written together before the process next looks for events, or when it ends.
 * Nothing is opened before the first line. It never throws: what cannot be written is counted, and told when writing works
 * again.
 */
export function openLogger(options: FileLoggerOptions): Logger {
  const { home, redactor, clock } = options
  const mode = options.isShared ? 0o660 : 0o600
  const megabyte = 1024 * 1024
  const sink = (name: string, from: number, size: { readonly mb: number; readonly backups: number }): Sink => ({
    file: createRotatingFile({
      path: home.path('logs', name),
      maxBytes: size.mb * megabyte,
      backups: size.backups,
      mode,
    }),
    from,
    waiting: [],
    lost: 0,
    retryAt: 0,
  })
  const { maxSizeMb: mb = 5, backups = 3 } = options
  const all: Sink[] = [sink('agent.log', lowest[options.level], { mb, backups })]
  all.push(sink('errors.log', rank.warn, { mb: 2, backups: 2 }))
  if (options.hasGatewayLog) {
    const isFor = (name: unknown) => typeof name === 'string' && name.startsWith('gateway')
    all.push({ ...sink('gateway.log', rank.info, { mb: 5, backups: 3 }), isFor })
  }
  let isDue = false
  const entries: Entry[] = []
  const flush = (): void => {
    for (const { sinks, ...entry } of entries.splice(0)) {
      const line = `${redactor.redact(formatLogLine(entry))}\n`
      for (const sink of sinks) sink.waiting.push(line)
    }
    for (const sink of all) if (sink.waiting.length > 0) append(sink, clock.now())
    process.off('exit', flush)
    isDue = false
  }
  const flushSoon = (): void => {
    if (isDue) return
    isDue = true
    process.once('exit', flush)
    setImmediate(flush)
  }
  const write = (level: LogLevel, fields: LogFields, message: string): void => {
    const sinks = all.filter(({ from, isFor }) => rank[level] >= from && (!isFor || isFor(fields['name'])))
    if (sinks.length === 0) return
    // Its line is made when it is written: whoever waits for what was done need not wait for that, too.
    entries.push({ level, fields, message, time: clock.now(), sinks })
    if (rank[level] >= rank.warn || entries.length >= maxWaiting) flush()
    else flushSoon()
  }
  return loggerWith({}, write)
}

interface Entry extends LogEntry {
  /** Where it is written to. */
  readonly sinks: readonly Sink[]
}

interface Sink {
  readonly file: RotatingFile
  readonly from: number
  /** Whether it takes lines of a logger of this name; all, when absent. */
  readonly isFor?: (name: unknown) => boolean
  /** Lines that are still to be written. */
  readonly waiting: string[]
  /** Lines that could not be written since the last one that could. */
  lost: number
  retryAt: number
}

/** Writes what waits. */
function append(sink: Sink, time: number): void {
  const lines = sink.waiting.splice(0)
  if (sink.lost > 0 && time < sink.retryAt) {
    sink.lost += lines.length
    return
  }
  const fields = { name: 'log', lost: sink.lost }
  const left =
    sink.lost > 0
      ? [`${formatLogLine({ level: 'warn', fields, message: 'lines could not be written', time })}\n`, ...lines]
      : [...lines]
  try {
    while (left.length > 0) left.splice(0, sink.file.append(left))
    sink.lost = 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isTold = left.length <= lines.length
    sink.lost = (isTold ? 0 : sink.lost) + Math.min(left.length, lines.length)
    sink.retryAt = time + retryMs
  }
}

function loggerWith(common: LogFields, write: (level: LogLevel, fields: LogFields, message: string) => void): Logger {
  const at = (level: LogLevel) => (fields: LogFields, message: string) =>
    write(level, { ...common, ...fields }, message)
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerWith({ ...common, ...fields }, write),
  }
}
