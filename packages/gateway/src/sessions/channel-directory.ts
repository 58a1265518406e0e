import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { withFileLock } from '@hermes/core/storage/file-lock.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { MessageSource } from '../messages/inbound-message.ts'
import type { ListedChannel } from '../platforms/platform.ts'
import type { ChatSession } from './chat-sessions.ts'

const channel = lazily(() =>
  z.looseObject({
    id: z.string(),
    name: z.string(),
    type: z.string().default(''),
    guild: z.string().nullish(),
    thread_id: z.string().nullish(),
  }),
)

/** A place that can be named. */
export type Channel = z.infer<ReturnType<typeof channel>>

/** What is no place is left out, and hides no other. */
const channels = lazily(() =>
  z
    .array(z.unknown())
    .catch([])
    .transform((list): readonly Channel[] => list.flatMap((one) => channel().safeParse(one).data ?? [])),
)

const directory = lazily(() => z.looseObject({ platforms: z.record(z.string(), channels()).default({}) }))

/** Faces whose chats nobody can write to. */
const notChats: ReadonlySet<string> = new Set(['local', 'api_server', 'webhook'])

/** Whether the chats of a platform are places that somebody can be written to. */
export function hasPlaces(platform: string): boolean {
  return !notChats.has(platform)
}

/** Upstream's `channel_directory.json`: the places of each platform. */
export async function readChannels(home: Home): Promise<Readonly<Record<string, readonly Channel[]>>> {
  try {
    return directory().safeParse(JSON.parse(await readFile(channelsPath(home), 'utf8'))).data?.platforms ?? {}
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return {}
    throw error
  }
}

/** Notes the places where people have spoken; those that are noted already stay. `now`: ms since 1970. */
export async function writeChannels(chats: readonly ChatSession[], home: Home, now: number): Promise<void> {
  await withFileLock(channelsPath(home), async () => {
    const platforms = new Map(Object.entries(await readChannels(home)).map(([name, list]) => [name, byId(list)]))
    for (const { source } of chats) {
      if (!hasPlaces(source.platform)) continue
      const found = placeOf(source)
      const own = platforms.get(source.platform) ?? new Map<string, Channel>()
      const before = own.get(found.id)
      own.delete(found.id)
      // What the service itself calls it stays.
      own.set(found.id, { ...before, ...found, ...(before?.guild && { name: before.name }) })
      platforms.set(source.platform, own)
    }
    const lists = [...platforms].map(([name, own]) => [name, [...own.values()]] as const)
    const value = { updated_at: new Date(now).toISOString(), platforms: Object.fromEntries(lists) }
    await writeFileAtomic(channelsPath(home), JSON.stringify(value, null, 2), { mode: 0o600 })
  })
}

/** The chats of which it does not say yet what would be noted. */
export function unlisted(
  chats: readonly ChatSession[],
  channels: Readonly<Record<string, readonly Channel[]>>,
): readonly ChatSession[] {
  const platforms = new Set(chats.map(({ source }) => source.platform))
  const known = new Map([...platforms].map((name) => [name, byId(channels[name] ?? [])] as const))
  return chats.filter(({ source }) => {
    if (!hasPlaces(source.platform)) return false
    const found = placeOf(source)
    const before = known.get(source.platform)?.get(found.id)
    if (!before) return true
    const isNamed = Boolean(before.guild) || before.name === found.name
    return !isNamed || before.type !== found.type || (before.thread_id ?? undefined) !== found.thread_id
  })
}

function byId(list: readonly Channel[]): Map<string, Channel> {
  return new Map(list.map((one) => [one.id, one]))
}

/** What is noted of the place that a message came from. */
function placeOf({ chatId, threadId, chatType, chatName, userName, chatTopic }: MessageSource) {
  return {
    id: threadId === undefined ? chatId : `${chatId}:${threadId}`,
    name: [chatName ?? userName ?? chatId, chatTopic].filter(Boolean).join(' / '),
    type: chatType,
    ...(threadId !== undefined && { thread_id: threadId }),
  }
}

/** Takes over what a service tells of its places: what it lists no more goes; where people have spoken stays. */
export async function writeListedChannels(
  platform: string,
  listed: readonly ListedChannel[],
  { home, now }: { readonly home: Home; readonly now: number },
): Promise<void> {
  await withFileLock(channelsPath(home), async () => {
    const platforms = await readChannels(home)
    const known = byId(platforms[platform] ?? [])
    const ids = new Set(listed.map(({ id }) => id))
    const others = [...known.values()].filter(({ id, guild }) => !ids.has(id) && !guild)
    const all = { ...platforms, [platform]: [...others, ...listed.map((one) => ({ ...known.get(one.id), ...one }))] }
    const value = { updated_at: new Date(now).toISOString(), platforms: all }
    await writeFileAtomic(channelsPath(home), JSON.stringify(value, null, 2), { mode: 0o600 })
  })
}

/** What services name places and people by: numbers, Slack's ids, addresses, rooms. */
const idPattern = /^-?\d{5,}$|^[A-Z](?=[A-Z]*\d)[A-Z\d]{7,}$|^[!$]|@/

/**
 * The place that a person means by its id or name; undefined where none or several are meant. Nobody gets what is for an id
 * by calling themselves so.
 */
export function findChannel(channels: readonly Channel[], wanted: string): Channel | undefined {
  const byId = channels.find(({ id }) => id === wanted)
  if (byId || idPattern.test(wanted)) return byId
  const name = wanted.replace(/^#/, '').toLowerCase()
  const shown = ({ guild, name: own }: Channel) =>
    [own, ...(guild ? [`${guild}/${own}`] : [])].map((each) => each.toLowerCase())
  const exact = channels.filter((one) => shown(one).includes(name))
  const meant = exact.length > 0 ? exact : channels.filter((one) => shown(one).some((each) => each.startsWith(name)))
  return meant.length === 1 ? meant[0] : undefined
}

/** The file. */
export function channelsPath(home: Home): string {
  return home.path('channel_directory.json')
}
