import { allCommands } from '../../commands/registry.ts'
import type { TelegramClient } from './client.ts'

/** Limits of a menu: https://core.telegram.org/bots/api#setmycommands */
const maxCommands = 100
const maxName = 32
const maxDescription = 256

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

/** Puts the commands into the menu beside the text field. */
export async function setMenu(client: TelegramClient, signal: AbortSignal): Promise<void> {
  const commands = await menuCommands()
  await client.call('setMyCommands', { commands }, { signal })
}
