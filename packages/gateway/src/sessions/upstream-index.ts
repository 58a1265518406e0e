import { readFile, stat } from 'node:fs/promises'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { withFileLock } from '@hermes/core/storage/file-lock.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { MessageSource } from '../messages/inbound-message.ts'
import type { ChatSession } from './chat-sessions.ts'

const text = lazily(() => z.union([z.string(), z.number()]).transform(String))
const optional = lazily(() => text().nullish())

/** What upstream's `sessions/sessions.json` says of a chat, as far as it is read. */
const entry = lazily(() =>
  z.looseObject({
    session_id: z.string().min(1),
    created_at: z.string(),
    updated_at: z.string(),
    origin: z.looseObject({
      platform: z.string(),
      chat_id: text(),
      chat_type: z.enum(['dm', 'group', 'channel', 'thread']).catch('group'),
      chat_name: optional(),
      chat_topic: optional(),
      thread_id: optional(),
      user_id: optional(),
      user_name: optional(),
      user_id_alt: optional(),
    }),
  }),
)

const index = lazily(() => z.record(z.string(), z.unknown()))

/** When somebody has last written there, ms since 1970; 0 where nobody has. */
export async function indexWrittenAt(home: Home): Promise<number> {
  try {
    return (await stat(pathOf(home))).mtimeMs
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
}

/** The chats that the other program knows; what nobody can read of it is left out. */
export async function readUpstreamIndex(home: Home): Promise<readonly ChatSession[]> {
  return Object.entries(await readIndex(home)).flatMap(([sessionKey, value]) => {
    const parsed = entry().safeParse(value)
    if (!parsed.success) return []
    const { session_id: sessionId, created_at: created, updated_at: updated, origin } = parsed.data
    // Upstream's times have no zone: they are the machine's.
    const [createdAt, updatedAt] = [Date.parse(created), Date.parse(updated)]
    if (Number.isNaN(createdAt) || Number.isNaN(updatedAt)) return []
    const source: MessageSource = {
      platform: origin.platform,
      account: '',
      chatId: origin.chat_id,
      chatType: origin.chat_type,
      ...(origin.chat_name && { chatName: origin.chat_name }),
      ...(origin.chat_topic && { chatTopic: origin.chat_topic }),
      ...(origin.thread_id && { threadId: origin.thread_id }),
      ...(origin.user_id && { userId: origin.user_id }),
      ...(origin.user_name && { userName: origin.user_name }),
      ...(origin.user_id_alt && { userIdAlt: origin.user_id_alt }),
    }
    return [{ sessionKey, sessionId, createdAt, updatedAt, source }]
  })
}

/** Writes there again and again. */
export interface UpstreamIndexWriter {
  /** Notes chats; what it says of others, and what we do not know of these, stays. */
  write(chats: readonly ChatSession[]): Promise<void>
}

/** While nobody else writes there, what it says of other chats is neither parsed nor put into words again. */
export function createUpstreamIndexWriter({
  home,
  sessions,
}: Pick<AgentContext, 'home' | 'sessions'>): UpstreamIndexWriter {
  const path = pathOf(home)
  /** The state of the file as we have left it. */
  let left: string | undefined

  return {
    async write(chats) {
      const usages = new Map(
        await Promise.all(
          chats.map(async (chat) => [chat.sessionId, (await sessions.get(chat.sessionId))?.usage] as const),
        ),
      )
      await withFileLock(path, async () => {
        const own = left === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined)
        const isOurs = own !== undefined && left === (await stateOf(path))
        const lines = isOurs ? ownLines(own) : linesOf(await readIndex(home))
        for (const chat of chats) {
          const before = valueOf(lines.get(chat.sessionKey))
          const goesOn = before['session_id'] === chat.sessionId
          const after = { ...fresh, ...(goesOn && before), ...known(chat, usages.get(chat.sessionId)) }
          lines.set(chat.sessionKey, lineOf(chat.sessionKey, after))
        }
        await writeFileAtomic(path, `{\n${[...lines.values()].join(',\n')}\n}`, { mode: 0o600 })
        left = await stateOf(path)
      })
    },
  }
}

/** The file is replaced whenever it changes. Undefined where it is not there. */
async function stateOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path)
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function linesOf(all: Readonly<Record<string, unknown>>): Map<string, string> {
  return new Map(Object.entries(all).map(([key, value]) => [key, lineOf(key, value)]))
}

/** As `JSON.stringify` indents it. */
function lineOf(key: string, value: unknown): string {
  return `  ${JSON.stringify(key)}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')}`
}

/** The same of a file that is as we have written it: each chat begins in a line of its own, two spaces in. */
function ownLines(text: string): Map<string, string> {
  const [start, between] = ['  "', ',\n  "']
  const lines = new Map<string, string>()
  for (let at = text.indexOf(start); at >= 0;) {
    const end = text.indexOf(between, at)
    const chat = text.slice(at, end < 0 ? -'\n}'.length : end)
    const [key = '""'] = /"(?:[^"\\]|\\.)*"/.exec(chat) ?? []
    lines.set(JSON.parse(key) as string, chat)
    at = end < 0 ? end : end + ',\n'.length
  }
  return lines
}

function valueOf(line: string | undefined): Readonly<Record<string, unknown>> {
  return line === undefined ? {} : asObject(Object.values(JSON.parse(`{${line}}`) as object)[0])
}

const fresh = {
  last_prompt_tokens: 0,
  estimated_cost_usd: 0,
  cost_status: 'unknown',
  memory_flushed: false,
  suspended: false,
}

type Usage = NonNullable<Awaited<ReturnType<AgentContext['sessions']['get']>>>['usage']

function known({ sessionKey, sessionId, createdAt, updatedAt, source }: ChatSession, usage: Usage | undefined) {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {}
  return {
    session_key: sessionKey,
    session_id: sessionId,
    created_at: localTime(createdAt),
    updated_at: localTime(updatedAt),
    display_name: source.chatName ?? source.userName ?? null,
    platform: source.platform,
    chat_type: source.chatType,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    total_tokens: inputTokens + outputTokens,
    origin: {
      platform: source.platform,
      chat_id: source.chatId,
      chat_name: source.chatName ?? null,
      chat_type: source.chatType,
      user_id: source.userId ?? null,
      user_name: source.userName ?? null,
      thread_id: source.threadId ?? null,
      chat_topic: source.chatTopic ?? null,
      ...(source.userIdAlt !== undefined && { user_id_alt: source.userIdAlt }),
    },
  }
}

/** ISO time of the machine's zone, without the zone. */
function localTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offsetMs).toISOString().replace('Z', '')
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return index().safeParse(value).data ?? {}
}

async function readIndex(home: Home): Promise<Readonly<Record<string, unknown>>> {
  try {
    return asObject(JSON.parse(await readFile(pathOf(home), 'utf8')))
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return {}
    throw error
  }
}

function pathOf(home: Home): string {
  return home.path('sessions', 'sessions.json')
}
