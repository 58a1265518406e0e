import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { ChatRef, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { Connection, Platform, SendingConnection } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { inboundShape } from './inbound-shape.ts'
import { watchPluginFaults } from './plugin-faults.ts'

/** Longest that code of a plugin may take, ms. */
export interface PluginLimits {
  readonly connectMs: number
  readonly sendMs: number
  readonly endMs: number
}

type Editing = NonNullable<Connection['editing']>

const usualLimits: PluginLimits = { connectMs: 300_000, sendMs: 300_000, endMs: 10_000 }

/** What the rest of the gateway uses of a connection without asking whether it is there. */
const connectionShape = lazily(() =>
  z.looseObject({
    account: z.union([z.string().min(1), z.number()]),
    rates: z.looseObject({ perSecond: z.number().positive(), perChatSecond: z.number().positive() }),
    closed: z.custom<Promise<unknown>>((value) => value instanceof Promise, 'is no promise'),
    send: z.custom<Connection['send']>((value) => typeof value === 'function', 'is no function'),
  }),
)

/**
 * A platform of a plugin whose mistakes stay its own: nobody has compiled it, so what it gives is checked, and what does
 * not end is given up. `folder`: where its code is, without links.
 */
export function guardedPlatform(
  platform: Platform,
  folder: string,
  limits: PluginLimits = usualLimits,
): Platform<unknown, FaceHost> {
  const { name, label, variablePrefix, promptHint, commandStart } = platform
  const connectToSend = platform.connectToSend?.bind(platform)
  return {
    name,
    label,
    variablePrefix,
    promptHint,
    limits: platform.limits,
    ...(commandStart !== undefined && { commandStart }),
    read: (config, environment) => platform.read(config, environment),
    async connect(settings, host, signal) {
      await using opening = new AsyncDisposableStack()
      opening.use(watchPluginFaults({ folder, home: host.home, log: host.log }))
      const receive: FaceHost['receive'] = async (message) => {
        const parsed = inboundShape(name).safeParse(message)
        if (parsed.success) return host.receive(parsed.data)
        const error = new Error(`this is no message: ${firstIssue(parsed.error)}`)
        host.log.error({ error: error.message }, 'a message of a plugin is not taken')
        throw error
      }
      const pending = Promise.resolve(platform.connect(settings, { ...host, receive }, signal))
      const connection = await ended(pending, { limits, signal })
      opening.defer(() => end(connection, limits))
      const held = opening.move()
      return guardedConnection(connection, limits, () => held.disposeAsync())
    },
    ...(connectToSend && {
      async connectToSend(settings, host, signal) {
        const connection = await ended(Promise.resolve(connectToSend(settings, host, signal)), { limits, signal })
        return {
          rates: connection.rates,
          send: sending(connection, limits),
          [Symbol.asyncDispose]: () => end(connection, limits),
        }
      },
    }),
  }
}

/** The connection, in time; one that comes later is ended. */
async function ended<C extends SendingConnection>(
  pending: Promise<C>,
  { limits, signal }: { readonly limits: PluginLimits; readonly signal: AbortSignal },
): Promise<C> {
  const late = new PlatformError('unreachable', 'The plugin did not connect in time.')
  try {
    return await inTime(pending, { ms: limits.connectMs, late, signal })
  } catch (error) {
    pending.then((connection) => end(connection, limits)).catch(() => undefined)
    throw error
  }
}

function guardedConnection(connection: Connection, limits: PluginLimits, dispose: () => Promise<void>): Connection {
  const checked = connectionShape().safeParse(connection)
  if (!checked.success) {
    void dispose()
    throw new Error(`what the plugin connects is no connection: ${firstIssue(checked.error)}`)
  }
  const { editing, typing, reactions, buttons, channels, face, knowsKeys, rates, closed } = connection
  const asksElsewhere = connection.asksElsewhere?.bind(connection)
  return {
    account: String(checked.data.account),
    rates,
    closed,
    send: sending(connection, limits),
    ...(knowsKeys !== undefined && { knowsKeys }),
    ...(editing && { editing: guardedEditing(editing, limits) }),
    ...(typing && { typing }),
    ...(reactions && { reactions }),
    ...(buttons && { buttons }),
    ...(channels && { channels }),
    ...(asksElsewhere && { asksElsewhere }),
    ...(face && { face }),
    [Symbol.asyncDispose]: dispose,
  }
}

function guardedEditing(editing: Editing, { sendMs }: PluginLimits): Editing {
  const remove = editing.remove?.bind(editing)
  return {
    edit(message, text, signal, how) {
      return inTime(Promise.resolve(editing.edit(message, text, signal, how)), { ms: sendMs, late: unsaid(), signal })
    },
    ...(remove && { remove }),
  }
}

const unsaid = () => new PlatformError('uncertain', 'The plugin did not say whether it was sent.')

/** What was sent without a word about it has been sent: it must not go out again. */
function sending(connection: SendingConnection, { sendMs }: PluginLimits): Connection['send'] {
  return async (to: ChatRef, part, options, signal): Promise<SentRef> => {
    const limit = { ms: sendMs, late: unsaid(), signal }
    const sent: unknown = await inTime(Promise.resolve(connection.send(to, part, options, signal)), limit)
    const { messageId = '' } = z.looseObject({ messageId: z.coerce.string() }).safeParse(sent).data ?? {}
    return { chat: to, messageId }
  }
}

async function end(connection: SendingConnection | undefined, { endMs }: PluginLimits): Promise<void> {
  const dispose = connection?.[Symbol.asyncDispose]
  if (typeof dispose !== 'function') return
  await inTime(Promise.resolve(dispose.call(connection)), { ms: endMs })
}

interface TimeLimit {
  readonly ms: number
  /** Thrown when it takes longer; without it that is the end. */
  readonly late?: Error
  readonly signal?: AbortSignal
}

async function inTime<T>(pending: Promise<T>, limit: TimeLimit & { readonly late: Error }): Promise<T>
async function inTime<T>(pending: Promise<T>, limit: TimeLimit): Promise<T | undefined>
async function inTime<T>(pending: Promise<T>, { ms, late, signal }: TimeLimit): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => (late ? reject(late) : resolve(undefined)), ms)
  const leave = () => reject(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  if (signal?.aborted) leave()
  try {
    return await Promise.race([pending, promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
    pending.catch(() => undefined)
  }
}

function firstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.')} ${issue?.message}`.trim()
}
