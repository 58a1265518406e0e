import type { ChatCommand } from './command.ts'

/** Every command by its names; a command's file is loaded when it is called. */
const loaders: Readonly<Record<string, () => Promise<ChatCommand>>> = {
  approve: async () => (await import('./approve.ts')).approve,
  deny: async () => (await import('./approve.ts')).deny,
  help: async () => (await import('./help.ts')).help,
  new: async () => (await import('./new.ts')).startNew,
  status: async () => (await import('./status.ts')).status,
  stop: async () => (await import('./stop.ts')).stop,
}

const aliases: Readonly<Record<string, string>> = { reset: 'new', commands: 'help' }

/** The command of a name or alias. */
export async function findCommand(name: string): Promise<ChatCommand | undefined> {
  const own = Object.hasOwn(aliases, name) ? aliases[name] : name
  return own !== undefined && Object.hasOwn(loaders, own) ? loaders[own]?.() : undefined
}

/** All commands, by name. */
export function allCommands(): Promise<readonly ChatCommand[]> {
  return Promise.all(Object.values(loaders).map((load) => load()))
}
