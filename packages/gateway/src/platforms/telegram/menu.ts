import { menuSkills } from '../../commands/menu-skills.ts'
import { allCommands, commandNames } from '../../commands/registry.ts'
import type { TelegramClient } from './client.ts'
import type { TelegramHost } from './take-update.ts'

/** Limits of a menu: https://core.telegram.org/bots/api#setmycommands */
const maxCommands = 100
const maxName = 32
const maxDescription = 256

/** Longest description of a skill there, characters. */
const maxSkill = 40

/** The gateway's commands as Telegram takes them. Names that would be the same get a number. */
export async function menuCommands(): Promise<readonly { readonly command: string; readonly description: string }[]> {
  const taken = new Set<string>()
  const entries = (await allCommands()).flatMap(({ name, summary }) => {
    const base = name
      .toLowerCase()
      .replaceAll('-', '_')
      .replaceAll(/[^a-z0-9_]/g, '')
      .slice(0, maxName)
    if (base === '') return []
    let command = base
    for (let count = 2; taken.has(command); count++)
      command = `${base.slice(0, maxName - String(count).length)}${count}`
    taken.add(command)
    return [{ command, description: summary.slice(0, maxDescription).toWellFormed() || name }]
  })
  return entries.slice(0, maxCommands)
}

/** Skills whose names fit: one is called by its name, so that none is cut. */
async function skillEntries({ chats }: TelegramHost) {
  const skills = chats ? await menuSkills(chats.live.current, 'telegram', new Set(commandNames())) : []
  return skills.flatMap(({ command: name, description }) => {
    const command = name.replaceAll('-', '_')
    const short = description.length > maxSkill ? `${description.slice(0, maxSkill - 1).trimEnd()}…` : description
    return command.length > maxName ? [] : [{ command, description: short.toWellFormed() || name }]
  })
}

/** Puts the commands, then the skills, into the menu beside the text field. */
export async function setMenu(client: TelegramClient, host: TelegramHost, signal: AbortSignal): Promise<void> {
  const commands = [...(await menuCommands()), ...(await skillEntries(host))].slice(0, maxCommands)
  await client.call('setMyCommands', { commands }, { signal })
}
