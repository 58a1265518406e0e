import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { discordRates } from '@hermes/testing/discord/limits.ts'
import { startDiscord } from '@hermes/testing/discord/server.ts'
import { ids } from '@hermes/testing/discord/world.ts'
import type { DiscordStandIn } from '@hermes/testing/discord/server.ts'
import {
  ActionRowBuilder,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  MessageFlags,
  Partials,
  REST,
  RateLimitError,
  Routes,
} from 'discord.js'
import type { Interaction, Message } from 'discord.js'

/** discord.js's own client, on the stand-in. */
async function openClient(discord: DiscordStandIn) {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits
  const client = new Client({
    intents: [Guilds, GuildMessages, DirectMessages, MessageContent],
    partials: [Partials.Channel],
    rest: { api: discord.apiUrl },
  })
  const ready = once(client, Events.ClientReady)
  await client.login(discord.token)
  await ready
  return client
}

test('discord.js’s own Client runs unmodified against the stand-in', async () => {
  await using discord = await startDiscord()
  const client = await openClient(discord)
  const answer = async (message: Message) => {
    if (message.author.bot) return
    if (message.content === 'edit') await (await message.reply('first')).edit('second')
    else if (message.content === 'thread') await (await message.startThread({ name: 'A thread' })).send('inside')
    else if (message.content === 'file') {
      await message.reply({ files: [new AttachmentBuilder(Buffer.from('bytes'), { name: 'a.txt' })] })
    } else {
      const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
        new ButtonBuilder().setCustomId('go').setLabel('Go').setStyle(ButtonStyle.Primary),
      )
      await message.react('👀')
      await message.reply({ content: `You said ${message.content}`, components: [row] })
    }
  }
  const take = async (interaction: Interaction) => {
    if (interaction.isButton())
      await interaction.reply({ content: interaction.customId, flags: MessageFlags.Ephemeral })
    if (interaction.isChatInputCommand()) {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral })
      await interaction.editReply(`${interaction.commandName} ${interaction.options.getString('args')}`)
    }
  }
  client.on(Events.MessageCreate, (message) => void answer(message))
  client.on(Events.InteractionCreate, (interaction) => void take(interaction))
  const asked = discord.write({ content: 'hello' })
  await discord.until(() => discord.messages.length === 1)
  const [first] = discord.messages
  assert.deepEqual([first?.content, first?.replyTo, first?.buttons[0]?.label], ['You said hello', asked, 'Go'])
  assert.deepEqual(discord.world.reactions, [{ channelId: ids.dm, messageId: asked, emoji: '👀', act: 'add' }])
  if (first) discord.press(first, 'Go')
  discord.command('status', { args: 'now' }, { channel: ids.general })
  await discord.until(() =>
    ['go', 'status now'].every((said) => discord.world.answers.some(({ content }) => content === said)),
  )
  assert.ok(discord.world.answers.every(({ isEphemeral }) => isEphemeral))
  discord.write({ content: 'edit', channel: ids.general })
  const started = discord.write({ content: 'thread', channel: ids.general, user: ids.bob })
  discord.write({ content: 'file' })
  await discord.until(() => discord.messages.length === 4 && discord.messages.some(({ earlier }) => earlier.length > 0))
  const inside = discord.messages.find(({ content }) => content === 'inside')
  assert.equal(inside?.channelId, started, 'a thread has the id of its message')
  const file = discord.messages.find(({ files }) => files.length > 0)?.files[0]
  assert.deepEqual([file?.name, file?.bytes.toString()], ['a.txt', 'bytes'])
  await client.application?.commands.set([{ name: 'status', description: 'How it does' }])
  assert.equal(discord.world.commands[0]?.['name'], 'status')
  await client.destroy()
})

test('discord.js’s own Client resumes after a broken connection and gets what it missed', async () => {
  await using discord = await startDiscord({ heartbeatMs: 300 })
  const client = await openClient(discord)
  const said: string[] = []
  client.on(Events.MessageCreate, ({ content }) => void said.push(content))
  discord.write({ content: 'one' })
  await discord.until(() => said.length === 1)
  discord.gateway.drop()
  discord.write({ content: 'two' })
  await discord.until(() => said.length === 2)
  discord.gateway.say('reconnect')
  await discord.until(() => discord.gateway.heard.filter(({ op }) => op === 6).length === 2)
  discord.write({ content: 'three' })
  await discord.until(() => said.length === 3)
  assert.deepEqual(said, ['one', 'two', 'three'])
  await client.destroy()
})

test('the stand-in refuses what the service refuses, in its words', async () => {
  const buckets = { ...discordRates.buckets, messages: { calls: 5, ms: 5_000 } }
  await using discord = await startDiscord({ rates: { perSecond: 50, buckets } })
  const rest = new REST({ api: discord.apiUrl, rejectOnRateLimit: () => true, retries: 0 }).setToken(discord.token)
  const said = async (promise: Promise<unknown>) => {
    const error: unknown = await promise.then(
      () => undefined,
      (refusal: unknown) => refusal,
    )
    assert.ok(error instanceof DiscordAPIError, String(error))
    return [error.status, error.code]
  }
  const send = (channel: string, body: Readonly<Record<string, unknown>>) =>
    rest.post(Routes.channelMessages(channel), { body })
  const { general, other, forum, dm } = ids
  assert.deepEqual(await said(send(general, { content: 'x'.repeat(2_001) })), [400, 50_035])
  assert.deepEqual(await said(send(general, { content: ' ' })), [400, 50_006])
  assert.deepEqual(await said(send('700000000000000099', { content: 'x' })), [404, 10_003])
  assert.deepEqual(await said(send(forum, { content: 'x' })), [400, 50_008])
  assert.deepEqual(await said(send(other, { content: 'x', message_reference: { message_id: '1' } })), [400, 50_035])
  discord.world.blocked.add(dm)
  assert.deepEqual(await said(send(dm, { content: 'x' })), [403, 50_007])
  const nonced = { content: 'once', nonce: 'n', enforce_nonce: true }
  await send(other, nonced)
  await send(other, nonced)
  assert.equal(discord.messages.length, 1)
  await assert.rejects(
    async () => {
      for (let n = 0; n < 6; n++) await send(other, { content: String(n) })
    },
    (error) => error instanceof RateLimitError && error.timeToReset > 0,
  )
  const wrong = new REST({ api: discord.apiUrl, retries: 0 }).setToken('wrong')
  assert.deepEqual(await said(wrong.get(Routes.user())), [401, 0])
})
