/** Parts of the program, by the beginnings of their loggers' names; upstream's words. */
export const logComponents = {
  gateway: ['gateway'],
  agent: ['agent', 'run_agent', 'model_tools', 'batch_runner'],
  tools: ['tools'],
  cli: ['hermes_cli', 'cli'],
  cron: ['cron'],
  server: ['server'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type LogComponent = keyof typeof logComponents

/** Least important first. */
export const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const

/** Which lines are wanted; all that is named has to hold. */
export interface LogFilter {
  /** Least important level. */
  readonly level?: (typeof logLevels)[number]
  /** Text that the line holds. */
  readonly session?: string
  /** Ms since 1970. */
  readonly since?: number
  readonly component?: LogComponent
}

/** A line as `formatLogLine` and upstream write it. */
export interface LogLine {
  /** Ms since 1970. */
  readonly time: number
  readonly level: string
  readonly session?: string
  /** Of the logger, e.g. `gateway.telegram`. */
  readonly name: string
}

const form = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d),(\d{3}) ([A-Z]+)(?: \[([^\]]+)\])? ([^\s:]+):/

/** Undefined for what is no line of a log, such as the rest of an error of a Python program. */
export function parseLogLine(line: string): LogLine | undefined {
  const found = form.exec(line)
  if (!found) return undefined
  const [year = 0, month = 1, day = 1, hour, minute, second, ms] = found.slice(1, 8).map(Number)
  const time = new Date(year, month - 1, day, hour, minute, second, ms).getTime()
  const [level = '', session, name = ''] = found.slice(8)
  return { time, level, name, ...(session !== undefined && { session }) }
}

/** Whether a line is wanted. One without a time and a level belongs to the one before it and passes those two. */
export function isWanted(line: string, { level, session, since, component }: LogFilter): boolean {
  if (session !== undefined && !line.includes(session)) return false
  const parsed = parseLogLine(line)
  if (!parsed) return component === undefined
  const rank = logLevels.findIndex((one) => one === parsed.level)
  if (level !== undefined && rank !== -1 && rank < logLevels.indexOf(level)) return false
  if (since !== undefined && parsed.time < since) return false
  return component === undefined || logComponents[component].some((prefix) => isPartOf(parsed.name, prefix))
}

function isPartOf(name: string, prefix: string): boolean {
  return name === prefix || name.startsWith(`${prefix}.`)
}
