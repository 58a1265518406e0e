import type { ChatCommand } from './command.ts'

/** Every command by its names, in the order of help; a command's file is loaded when it is called. */
const loaders: Readonly<Record<string, () => Promise<ChatCommand>>> = {
  new: async () => (await import('./new.ts')).startNew,
  stop: async () => (await import('./stop.ts')).stop,
  status: async () => (await import('./status.ts')).status,
  approve: async () => (await import('./approve.ts')).approve,
  deny: async () => (await import('./approve.ts')).deny,
  retry: async () => (await import('./retry.ts')).retry,
  undo: async () => (await import('./retry.ts')).undo,
  queue: async () => (await import('./queue.ts')).queue,
  steer: async () => (await import('./queue.ts')).steer,
  background: async () => (await import('./background.ts')).background,
  btw: async () => (await import('./background.ts')).aside,
  title: async () => (await import('./title.ts')).title,
  branch: async () => (await import('./branch.ts')).branch,
  resume: async () => (await import('./resume.ts')).resume,
  compress: async () => (await import('./compress.ts')).compress,
  model: async () => (await import('./model.ts')).model,
  provider: async () => (await import('./model.ts')).provider,
  personality: async () => (await import('./personality.ts')).personality,
  reasoning: async () => (await import('./settings.ts')).reasoning,
  fast: async () => (await import('./settings.ts')).fast,
  verbose: async () => (await import('./settings.ts')).verbose,
  yolo: async () => (await import('./settings.ts')).yolo,
  voice: async () => (await import('./voice.ts')).voice,
  usage: async () => (await import('./usage.ts')).usage,
  insights: async () => (await import('./usage.ts')).insights,
  plan: async () => (await import('./plan.ts')).plan,
  sethome: async () => (await import('./home-channel.ts')).setHome,
  rollback: async () => (await import('./rollback.ts')).rollback,
  restart: async () => (await import('./restart.ts')).restart,
  debug: async () => (await import('./debug.ts')).debug,
  'reload-mcp': async () => (await import('./profile.ts')).reloadMcp,
  profile: async () => (await import('./profile.ts')).profile,
  help: async () => (await import('./help.ts')).help,
  commands: async () => (await import('./help.ts')).commands,
}

const aliases: Readonly<Record<string, string>> = {
  reset: 'new',
  bg: 'background',
  q: 'queue',
  fork: 'branch',
  sessions: 'resume',
  compact: 'compress',
  'set-home': 'sethome',
}

/** The command of a name or alias. */
export async function findCommand(name: string): Promise<ChatCommand | undefined> {
  const own = Object.hasOwn(aliases, name) ? aliases[name] : name
  return own !== undefined && Object.hasOwn(loaders, own) ? loaders[own]?.() : undefined
}

/** Every name that a command has. */
export function commandNames(): readonly string[] {
  return [...Object.keys(loaders), ...Object.keys(aliases)]
}

/** All commands, in the order of help. */
export function allCommands(): Promise<readonly ChatCommand[]> {
  return Promise.all(Object.values(loaders).map((load) => load()))
}
