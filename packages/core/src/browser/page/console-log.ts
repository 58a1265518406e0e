import { z } from 'zod'
import type { CdpSession } from '../cdp/connection.ts'

export interface ConsoleMessage {
  /** `log`, `warning`, `error` … */
  readonly type: string
  readonly text: string
  /** `console-api`, or who in the browser says it: `network`, `security` … */
  readonly source: string
}

export interface ScriptError {
  readonly message: string
  readonly source: string
}

/** What a page has said on its console since it was last cleared. */
export interface ConsoleLog {
  readonly messages: readonly ConsoleMessage[]
  readonly errors: readonly ScriptError[]
  /** Hears a page, frame or worker. */
  follow(session: CdpSession): void
  clear(): void
}

const maxKept = 200
const maxChars = 2_000

const remoteObject = z.looseObject({
  type: z.string(),
  value: z.unknown().optional(),
  description: z.string().optional(),
  unserializableValue: z.string().optional(),
})
const called = z.looseObject({ type: z.string(), args: z.array(remoteObject) })
const logged = z.looseObject({ entry: z.looseObject({ level: z.string(), text: z.string(), source: z.string() }) })
const thrown = z.looseObject({
  exceptionDetails: z.looseObject({
    text: z.string(),
    url: z.string().optional(),
    lineNumber: z.number().optional(),
    exception: remoteObject.optional(),
  }),
})

/** A log that keeps the last messages of each kind. */
export function createConsoleLog(): ConsoleLog {
  const messages: ConsoleMessage[] = []
  const errors: ScriptError[] = []
  const add = <Item>(list: Item[], item: Item) => {
    list.push(item)
    if (list.length > maxKept) list.shift()
  }
  return {
    messages,
    errors,
    follow(session) {
      session.on('Runtime.consoleAPICalled', called, ({ type, args }) =>
        add(messages, { type, text: short(args.map(shownValue).join(' ')), source: 'console-api' }),
      )
      session.on('Log.entryAdded', logged, ({ entry }) =>
        add(messages, { type: entry.level, text: short(entry.text), source: entry.source }),
      )
      session.on('Runtime.exceptionThrown', thrown, ({ exceptionDetails: details }) => {
        const { text, url, lineNumber, exception } = details
        const message = short(exception?.description ?? (exception ? `${text} ${shownValue(exception)}` : text))
        add(errors, { message, source: url ? `${url}:${(lineNumber ?? 0) + 1}` : 'exception' })
      })
    },
    clear() {
      messages.length = 0
      errors.length = 0
    },
  }
}

/** A value as a console shows it. */
export function shownValue({ type, value, description, unserializableValue }: z.infer<typeof remoteObject>): string {
  if (typeof value === 'string') return value
  if (value !== undefined) return JSON.stringify(value)
  return unserializableValue ?? description ?? type
}

function short(text: string): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text
}
