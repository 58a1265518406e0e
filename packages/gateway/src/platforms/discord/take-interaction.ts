import type { InboundMessage } from '../../messages/inbound-message.ts'
import { commandText } from './command-options.ts'
import { isOpenHere, listedAs } from './channel-rules.ts'
import { nameOf } from './inbound.ts'
import { interaction as interactionSchema } from './payloads.ts'
import type { DiscordInteraction, DiscordUser } from './payloads.ts'
import { persist } from './persist.ts'
import { chatOfPlace, directPlace } from './places.ts'
import type { Place } from './places.ts'
import type { TakerOptions } from './take-message.ts'
import { makeThread, threadCommand } from './thread-command.ts'

// Commands and buttons: https://discord.com/developers/docs/interactions/receiving-and-responding

const kind = { command: 2, press: 3 } as const

/** Answers: a message, one that comes later, or a change of the message that was pressed. */
const [answerNow, answerLater, changeLater] = [4, 5, 6]

/** Only the person sees it. */
const ephemeral = 64

/** Longest answer to a press, characters. */
const maxAnswer = 2_000

/** Takes what the service gives as an interaction. Rejects where the service cannot be answered. */
export async function takeInteraction(
  data: unknown,
  options: Omit<TakerOptions, 'fetchFiles'>,
  signal: AbortSignal,
): Promise<void> {
  const event = interactionSchema().safeParse(data).data
  const user = event?.member?.user ?? event?.user
  if (!event || !user || !event.channel_id) return
  if (event.type === kind.command) await takeCommand(event, user, options, signal)
  else if (event.type === kind.press) await takePress(event, user, options, signal)
}

type Options = Omit<TakerOptions, 'fetchFiles'>

async function takePress(
  event: DiscordInteraction,
  user: DiscordUser,
  { host, rest, settings, places }: Options,
  signal: AbortSignal,
): Promise<void> {
  const place = await placeOf(event, { places }, signal)
  const listed = listedAs(user, event.member?.roles ?? [], settings.allowedUsers)
  const text = await host.press({
    chat: chatOfPlace(place),
    userId: user.id,
    userName: nameOf(user, event.member?.nick),
    ...(listed !== undefined && { listedAs: listed }),
    data: event.data?.custom_id ?? '',
  })
  if (text === '') return rest.run(callback(event, { type: changeLater }), signal)
  const answer = { content: text.slice(0, maxAnswer).toWellFormed(), flags: ephemeral, allowed_mentions: { parse: [] } }
  await rest.run(callback(event, { type: answerNow, data: answer }), signal)
}

/** A command is acknowledged at once, and what is said to it comes as any other message. */
async function takeCommand(
  event: DiscordInteraction,
  user: DiscordUser,
  options: Options,
  signal: AbortSignal,
): Promise<void> {
  const { host, rest, places, settings, account } = options
  await rest.run(callback(event, { type: answerLater, data: { flags: ephemeral } }), signal)
  const place = await persist(() => placeOf(event, { places }, signal), host.log, signal)
  const path = `/webhooks/${account.applicationId}/${event.token}/messages/@original`
  const tell = (content: string) => rest.run({ method: 'PATCH', path, body: { content }, isWithoutToken: true }, signal)
  if (place.chatType !== 'dm' && !isOpenHere(place, settings.rules)) return tell('I do not answer in this channel.')
  const message = await commandMessage(event, user, place, options)
  if (place.chatType !== 'dm' && !(await host.access.isAuthorised(message.source))) {
    return tell('You may not speak to this agent.')
  }
  if (event.data?.name === threadCommand.name) return takeThread({ event, message, place, tell }, options, signal)
  await persist(() => host.receive(message), host.log, signal)
  await rest.run({ method: 'DELETE', path, isWithoutToken: true }, signal)
}

interface ThreadCall {
  readonly event: DiscordInteraction
  readonly message: InboundMessage
  readonly place: Place
  readonly tell: (content: string) => Promise<unknown>
}

/** Somebody asks for a thread: what they say with it is a message there. */
async function takeThread({ event, message, place, tell }: ThreadCall, options: Options, signal: AbortSignal) {
  const { host } = options
  // In a direct chat nobody has asked yet who it is.
  const mayAsk = await host.access.isAuthorised(message.source)
  const made = mayAsk
    ? await makeThread(place, event.data?.options ?? [], options, signal)
    : 'You may not speak to this agent.'
  if (typeof made === 'string') return void (await tell(made))
  if (made.message !== '') {
    const { userId, userName, listedAs: listed } = message.source
    const who = {
      ...(userId !== undefined && { userId }),
      ...(userName !== undefined && { userName }),
      ...(listed !== undefined && { listedAs: listed }),
    }
    const source = { ...sourceOf(made.place, options.account), ...who }
    await persist(() => host.receive({ ...message, source, text: made.message }), host.log, signal)
  }
  await tell(`<#${made.place.chatId}>`)
}

function sourceOf(place: Place, account: Options['account']) {
  return {
    ...chatOfPlace(place),
    account: account.id,
    ...(place.chatName !== undefined && { chatName: place.chatName }),
    ...(place.parentId !== undefined && { parentId: place.parentId }),
    ...(place.chatTopic !== undefined && { chatTopic: place.chatTopic }),
  }
}

async function commandMessage(
  event: DiscordInteraction,
  user: DiscordUser,
  place: Place,
  { account, settings, host }: Options,
): Promise<InboundMessage> {
  const listed = listedAs(user, event.member?.roles ?? [], settings.allowedUsers)
  const userName = nameOf(user, event.member?.nick)
  return {
    eventId: event.id,
    source: {
      ...sourceOf(place, account),
      chatName: place.chatName ?? userName,
      userId: user.id,
      userName,
      ...(listed !== undefined && { listedAs: listed }),
    },
    text: await commandText(event.data?.name ?? '', event.data?.options ?? []),
    attachments: [],
    sentAt: host.clock.now(),
  }
}

function placeOf(
  { guild_id: guildId, channel_id: channelId, channel }: DiscordInteraction,
  { places }: Pick<Options, 'places'>,
  signal: AbortSignal,
): Promise<Place> {
  const id = channelId ?? channel?.id ?? ''
  return guildId === null || guildId === undefined ? Promise.resolve(directPlace(id)) : places.find(id, signal)
}

function callback({ id, token }: DiscordInteraction, body: unknown) {
  return { method: 'POST', path: `/interactions/${id}/${token}/callback`, body, isWithoutToken: true } as const
}
