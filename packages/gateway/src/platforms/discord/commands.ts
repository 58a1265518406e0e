import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { menuSkills } from '../../commands/menu-skills.ts'
import { allCommands, commandNames } from '../../commands/registry.ts'
import { discordOptions } from './command-options.ts'
import type { DiscordOption } from './command-options.ts'
import type { DiscordHost } from './index.ts'
import type { DiscordRest } from './rest.ts'
import { threadCommand } from './thread-command.ts'

/** Limits: https://discord.com/developers/docs/interactions/application-commands */
const maxCommands = 100
const maxName = 32
const maxDescription = 100

/** The kind of command that is written. */
const chatInput = 1

const known = z.looseObject({
  name: z.string(),
  description: z.string(),
  type: z.number().default(chatInput),
  options: z
    .array(
      z.object({
        type: z.number(),
        name: z.string(),
        description: z.string(),
        required: z.boolean().default(false),
        choices: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
      }),
    )
    .default([]),
})

type KnownCommand = Pick<z.infer<typeof known>, 'name' | 'description' | 'type'> & {
  readonly options: readonly DiscordOption[]
}

/** What a skill is told. */
const skillOptions = [{ name: 'args', about: '[text]' }]

/** The gateway's commands and skills as Discord takes them. */
export async function applicationCommands({ chats }: DiscordHost): Promise<readonly KnownCommand[]> {
  const names = new Set<string>()
  const skills = chats ? await menuSkills(chats.live.current, 'discord', new Set(commandNames())) : []
  const ofSkills = skills.flatMap(({ command: name, description }) =>
    name.length > maxName ? [] : [{ name, summary: description, options: skillOptions }],
  )
  return [...(await allCommands()), threadCommand, ...ofSkills]
    .flatMap((command): readonly KnownCommand[] => {
      const name = command.name
        .toLowerCase()
        .replaceAll(/[^a-z0-9_-]/g, '')
        .slice(0, maxName)
      if (name === '' || names.has(name)) return []
      names.add(name)
      const description = shortened(command.summary) || name
      return [{ name, description, type: chatInput, options: discordOptions(command) }]
    })
    .slice(0, maxCommands)
}

function shortened(text: string): string {
  return text.slice(0, maxDescription).toWellFormed()
}

export interface CommandSetting {
  readonly rest: DiscordRest
  readonly host: DiscordHost
  readonly applicationId: string
}

/** Tells the service of the commands, where it knows others: setting them is limited by the day. */
export async function setCommands({ rest, host, applicationId }: CommandSetting, signal: AbortSignal): Promise<void> {
  const path = `/applications/${applicationId}/commands`
  const wanted = await applicationCommands(host)
  const has = await rest.call(z.array(known), { method: 'GET', path }, signal)
  const plain = has.map(({ name, description, type, options }) => ({ name, description, type, options }))
  const byName = (list: readonly KnownCommand[]) => list.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (isDeepStrictEqual(byName(plain), byName(wanted))) return
  await rest.run({ method: 'PUT', path, body: wanted }, signal)
}
