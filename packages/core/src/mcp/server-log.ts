import type { Home } from '../config/home.ts'
import type { Clock } from '../agent/clock.ts'
import type { Logger } from '../log/logger.ts'
import { createRotatingFile } from '../log/rotating-file.ts'
import type { Redactor } from '../security/redact.ts'

const maxLineChars = 2_000
/** Lines kept of each server, for the error that tells why it did not start. */
const keptLines = 5
const maxBytes = 2 * 1024 * 1024

/** What one server writes to stderr. */
export interface ServerLog {
  write(text: string): void
  /** Its last lines. */
  tail(): string
}

export interface ServerLogOptions {
  readonly home: Home
  readonly clock: Clock
  readonly log: Logger
  readonly redactor: Redactor
}

/** Appends to `logs/mcp-stderr.log`, whole lines, secrets hidden. */
export function openServerLog(server: string, { home, clock, log, redactor }: ServerLogOptions): ServerLog {
  const file = createRotatingFile({ path: home.path('logs', 'mcp-stderr.log'), maxBytes, backups: 1, mode: 0o600 })
  const last: string[] = []
  let rest = ''
  return {
    write(text) {
      const lines = `${rest}${text}`.split('\n')
      rest = (lines.pop() ?? '').slice(0, maxLineChars)
      const clean = lines
        .filter((line) => line.trim() !== '')
        .map((line) => redactor.redact(line.slice(0, maxLineChars)))
      if (clean.length === 0) return
      last.push(...clean.slice(-keptLines))
      last.splice(0, last.length - keptLines)
      const time = new Date(clock.now()).toISOString()
      try {
        file.append([clean.map((line) => `${time} [${server}] ${line}\n`).join('')])
      } catch (error) {
        log.debug({ server, error: String(error) }, 'the stderr of an MCP server cannot be kept')
      }
    },
    tail: () => [...last, redactor.redact(rest)].filter((line) => line !== '').join('\n'),
  }
}
