import type { Database } from '@hermes/core/storage/database.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import { oneLine } from '@hermes/core/text/one-line.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import { insertOutgoing, outboxLane } from '../store/outbox.ts'
import type { Outbox } from '../store/outbox.ts'

/** Beginning of the keys of what tells of it: that such a message did not arrive is told to nobody. */
const noticeKey = 'given-up:'

/** Between two notices at least, ms: what is given up meanwhile stands in one. */
const pauseMs = 60_000

/** Messages that one notice counts, and chats that it names. */
const [maxRows, maxNamed] = [1_000, 5]

/** Tells the owner of messages that were given up: each once, on a home channel, else when its chat speaks again. */
export interface GivenUpNotices extends Disposable {
  /** Something may have been given up. */
  look(): void
  /** Somebody spoke in a chat. */
  heard(chat: ChatRef): void
}

export interface GivenUpOptions {
  readonly db: Database
  /** Home channels, those first that can be written to now. */
  readonly homes: () => Promise<readonly ChatRef[]>
  readonly wake: (platform: string) => void
  readonly redact: (text: string) => string
  readonly log: Logger
  /** Ms since 1970. */
  readonly now: () => number
}

interface GivenUp {
  readonly id: number
  readonly platform: string
  readonly lane: string
  readonly error: string
  readonly isNotice: boolean
}

export function createGivenUpNotices({ db, homes, wake, redact, log, now }: GivenUpOptions): GivenUpNotices {
  /** Chats with something to tell that no home channel can be told. */
  let silent: ReadonlySet<string> = new Set()
  let timer: NodeJS.Timeout | undefined
  let nextAt = 0
  let isClosed = false

  const tell = async (heard?: ChatRef): Promise<void> => {
    const places = heard ? [] : await homes()
    const told = await db.write((): ChatRef | undefined => {
      const untold = readUntold(db)
      const mine = heard ? untold.filter((row) => placeOf(row) === chatPlace(heard)) : untold
      const lost = mine.filter(({ isNotice }) => !isNotice)
      const failing = new Set(lost.map(placeOf))
      const chat = heard ?? places.find((home) => !failing.has(chatPlace(home)))
      const isTold = lost.length > 0 && chat !== undefined
      if (isTold) {
        const part = { type: 'text', text: redact(noticeText(lost)) } as const
        insertOutgoing(db, { key: `${noticeKey}${lost.at(-1)?.id}`, chat, part, isNotice: true }, now())
      }
      const mark = db.prepare('UPDATE outbox SET is_told = 1 WHERE id = ?')
      for (const { id, isNotice } of mine) if (isTold || isNotice) mark.run(id)
      silent = new Set(untold.filter((row) => !row.isNotice && !(isTold && mine.includes(row))).map(placeOf))
      return isTold ? chat : undefined
    })
    if (!told) return
    nextAt = performance.now() + pauseMs
    wake(told.platform)
  }
  const attempt = (heard?: ChatRef) => {
    tell(heard).catch((error: unknown) =>
      log.error({ error: String(error) }, 'nobody can be told of what was given up'),
    )
  }
  return {
    look() {
      if (isClosed || timer) return
      const run = () => {
        timer = undefined
        attempt()
      }
      timer = setTimeout(run, Math.max(0, nextAt - performance.now())).unref()
    },
    heard(chat) {
      if (silent.has(chatPlace(chat))) attempt(chat)
    },
    [Symbol.dispose]() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** The same outbox; `look` is called when something was given up. */
export function notingGivenUp(outbox: Outbox, look: () => void): Outbox {
  return {
    ...outbox,
    async dead(id, error) {
      await outbox.dead(id, error)
      look()
    },
    async tidy() {
      const givenUp = await outbox.tidy()
      if (givenUp > 0) look()
      return givenUp
    },
  }
}

function readUntold(db: Database): readonly GivenUp[] {
  const rows = db
    .prepare(
      `SELECT id, key, platform, lane, error FROM outbox WHERE state = 'dead' AND is_told = 0 ORDER BY id LIMIT ?`,
    )
    .all(maxRows)
  return rows.map((row) => ({
    id: Number(row['id']),
    platform: String(row['platform']),
    lane: String(row['lane']),
    error: String(row['error']),
    isNotice: String(row['key']).startsWith(noticeKey),
  }))
}

function noticeText(lost: readonly GivenUp[]): string {
  const byPlace = Map.groupBy(lost, placeOf)
  const lines = [...byPlace.values()].slice(0, maxNamed).flatMap((rows) => {
    const [last] = rows.slice(-1)
    return last ? [`- ${last.platform} ${chatName(last.lane)}: ${rows.length} (${oneLine(last.error)})`] : []
  })
  const more = byPlace.size > maxNamed ? [`- and ${byPlace.size - maxNamed} other chats`] : []
  const what =
    lost.length === 1
      ? 'A message did not go out and was given up'
      : `${lost.length} messages did not go out and were given up`
  const how = `What they said is kept for a week: \`hermes gateway deliveries --failed\` shows it, \`--retry ${lost[0]?.id}\` tries once more.`
  return [`⚠️ ${what}:`, ...lines, ...more, '', how].join('\n')
}

/** Lanes are written by `outboxLane`. */
function chatName(lane: string): string {
  const [chatId, threadId] = JSON.parse(lane) as readonly [string, string | null]
  return threadId === null || threadId === chatId ? chatId : `${chatId}:${threadId}`
}

function placeOf({ platform, lane }: Pick<GivenUp, 'platform' | 'lane'>): string {
  return `${platform} ${lane}`
}

function chatPlace(chat: ChatRef): string {
  return placeOf({ platform: chat.platform, lane: outboxLane(chat) })
}
