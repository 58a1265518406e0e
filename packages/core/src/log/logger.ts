export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** `name` says what part of the program speaks (`agent`, `tools.terminal`), `session` in which session. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Structured log of a profile. `error`: a person should look; `info`: a line per unit of work; `debug` is free. Fields
 * and message pass through redaction before they are written, soon after the call: they must not change after it.
 */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** A logger whose lines all carry `fields`. */
  child(fields: LogFields): Logger
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
}
