import { existsSync } from 'node:fs'
import { systemClock } from '@hermes/core/agent/clock.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { readChannels, writeChannels } from '@hermes/gateway/sessions/channel-directory.ts'
import { homeChannel } from '@hermes/gateway/sessions/home-channel.ts'
import { readUpstreamIndex } from '@hermes/gateway/sessions/upstream-index.ts'
import type { Cli, Command, CommandInput } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { usableProfile } from './usable-profile.ts'

const list: Command = {
  name: 'list',
  summary: 'The places that messages can be sent to, by platform',
  positionals: '[platform]',
  options: { json: { type: 'boolean', description: 'For programs' } },
  run: listChannels,
}

const refresh: Command = {
  name: 'refresh',
  summary: 'Note every chat of the conversations that there are, also those of the Python Hermes',
  async run(_input, cli) {
    const { home, config } = await usableProfile(cli)
    const chats = [...(await readUpstreamIndex(home)), ...(await ownChats(home))]
    await writeChannels(chats, home, systemClock(config.timezone).now())
    const all = Object.values(await readChannels(home)).flat()
    await writeOut(cli, `✓ ${all.length} ${all.length === 1 ? 'place is' : 'places are'} known.\n`)
    return 0
  },
}

export const channels: Command = {
  name: 'channels',
  summary: 'The chats and channels that are known, with the ids by which they are named',
  options: list.options ?? {},
  subcommands: [list, refresh],
  examples: ['hermes gateway channels list telegram', 'hermes gateway channels refresh'],
  run: listChannels,
}

async function listChannels(input: CommandInput, cli: Cli): Promise<number> {
  return show(await usableProfile(cli), input, cli)
}

async function ownChats(home: Profile['home']) {
  if (!existsSync(home.path('gateway.db'))) return []
  const { openGatewayDatabase } = await import('@hermes/gateway/store/gateway-database.ts')
  const { readChatSessions } = await import('@hermes/gateway/sessions/chat-sessions.ts')
  const db = await openGatewayDatabase(home)
  try {
    return await readChatSessions(db)
  } finally {
    db.close()
  }
}

async function show(profile: Profile, { positionals: [only], options }: CommandInput, cli: Cli): Promise<number> {
  const known = Object.entries(await readChannels(profile.home)).filter(([name]) => only === undefined || name === only)
  const found = known.flatMap(([platform, places]) => {
    const home = homeChannel(platform, profile)
    return places.map(({ id, name, type, guild }) => {
      return { platform, id, name, type, ...(guild && { guild }), isHome: id === home?.chatId }
    })
  })
  if (options['json'] === true) {
    await writeJson(cli, found)
    return 0
  }
  const lines = found.map(({ platform, id, name, type, guild, isHome }) => {
    const shown = guild ? `${guild}/${name}` : name
    return `${platform.padEnd(12)} ${cleanLine(`${platform}:${id}`).padEnd(34)} ${type.padEnd(8)} ${cleanLine(shown)}${isHome ? '  (home)' : ''}`
  })
  const none = `No place${only === undefined ? '' : ` on ${cleanLine(only)}`} is known yet: each is noted when somebody speaks there.`
  await writeOut(cli, `${lines.length > 0 ? lines.join('\n') : none}\n`)
  return 0
}
