import type { LogFields, LogLevel } from './logger.ts'

/** One line of a log, before it is written. */
export interface LogEntry {
  readonly level: LogLevel
  readonly fields: LogFields
  readonly message: string
  /** Milliseconds since the epoch. */
  readonly time: number
}

/** Python's names, which upstream's `hermes logs` filters by. */
const levelNames: Readonly<Record<LogLevel, string>> = { debug: 'DEBUG', info: 'INFO', warn: 'WARNING', error: 'ERROR' }

const maxMessageChars = 8192
const maxFieldsChars = 16_384
const maxItems = 200

/**
 * A line in upstream's form: `2026-04-13 09:30:00,123 INFO [session] name: message {"field":1}`. Time is the machine's,
 * as upstream writes and compares it. `name` and `session` come from the fields of these names.
 */
export function formatLogLine({ level, fields, message, time }: LogEntry): string {
  const { name, session, ...rest } = fields
  const logger = typeof name === 'string' && name !== '' ? name : 'hermes'
  const inSession = typeof session === 'string' && session !== '' ? ` [${session}]` : ''
  const more = Object.keys(rest).length > 0 ? ` ${cut(fieldsText(rest), maxFieldsChars)}` : ''
  return oneLine(
    `${timeText(time)} ${levelNames[level]}${inSession} ${logger}: ${cut(message, maxMessageChars)}${more}`,
  )
}

function timeText(time: number): string {
  const date = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return `${day} ${clock},${String(date.getMilliseconds()).padStart(3, '0')}`
}

function fieldsText(fields: LogFields): string {
  try {
    return JSON.stringify(plain(fields, []))
  } catch (error) {
    // A getter or `toJSON` of what was logged threw: the line itself is worth more than its fields.
    return JSON.stringify({ unreadable: String(error) })
  }
}

/** A value as JSON can hold it: errors told, circles and depths cut. */
function plain(value: unknown, above: readonly unknown[]): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return `[function ${value.name}]`
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) return '[circular]'
  if (above.length >= 8) return '[deep]'
  const inside = [...above, value]
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => plain(item, inside))
  if ('toJSON' in value && typeof value.toJSON === 'function') return plain(value.toJSON(), inside)
  const source = value instanceof Error ? errorFields(value) : value
  const entries = Object.entries(source).slice(0, maxItems)
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner, inside)]))
}

function errorFields(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { name, message, code, stack, cause }
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}… (${text.length - maxChars} more characters)`
}

/** Nothing that is logged can begin a line of its own. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (char) => {
    const known: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
    return known[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
