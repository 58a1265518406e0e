import type { Command } from './command.ts'

/** A subcommand in the table: its file is imported only when it runs. */
export interface CommandEntry {
  readonly summary: string
  load(): Promise<Command>
}

/** Every subcommand of `hermes`. Help, completion and dispatch read this one table. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  chat: {
    summary: 'Chat, or answer one query, with the flags of the Python Hermes (-q TEXT, -Q)',
    load: async () => (await import('./commands/chat.ts')).command,
  },
  sessions: {
    summary: 'List, search, export and manage saved sessions',
    load: async () => (await import('./commands/sessions.ts')).command,
  },
  insights: {
    summary: 'What was used and what it cost, by day, model and source',
    load: async () => (await import('./commands/insights.ts')).command,
  },
  model: {
    summary: 'Choose the model; list and show models with their prices',
    load: async () => (await import('./commands/model.ts')).command,
  },
  prompt: {
    summary: 'Show what a new session tells the model, and what it costs',
    load: async () => (await import('./commands/prompt.ts')).command,
  },
  config: {
    summary: 'Show, explain and change settings',
    load: async () => (await import('./commands/config.ts')).command,
  },
  auth: {
    summary: 'Keys and sign-ins of model providers: add, list, remove, reset, status',
    load: async () => (await import('./commands/auth.ts')).command,
  },
  login: {
    summary: 'Sign in to a provider',
    load: async () => (await import('./commands/login.ts')).command,
  },
  logout: {
    summary: 'Sign out of a provider',
    load: async () => (await import('./commands/logout.ts')).command,
  },
  skills: {
    summary: 'Find, install, keep and share skills',
    load: async () => (await import('./commands/skills.ts')).command,
  },
  logs: {
    summary: 'Show and follow the logs: agent, errors, gateway',
    load: async () => (await import('./commands/logs.ts')).command,
  },
  tools: {
    summary: 'Choose what the agent can do, by platform',
    load: async () => (await import('./commands/tools.ts')).command,
  },
  mcp: {
    summary: 'MCP servers: add, list, test, configure, remove',
    load: async () => (await import('./commands/mcp.ts')).command,
  },
  memory: {
    summary: 'Choose and check the memory between sessions',
    load: async () => (await import('./commands/memory.ts')).command,
  },
  security: {
    summary: 'Check what would be allowed, hide secrets, audit this installation',
    load: async () => (await import('./commands/security.ts')).command,
  },
  cron: {
    summary: 'Do things at set times: scheduled jobs',
    load: async () => (await import('./commands/cron.ts')).command,
  },
  gateway: {
    summary: 'Keep the agent reachable on chat platforms',
    load: async () => (await import('./commands/gateway.ts')).command,
  },
  pairing: {
    summary: 'Who may speak to the agent in chats: let people in, and out again',
    load: async () => (await import('./commands/pairing.ts')).command,
  },
  webhook: {
    summary: 'Events of other services that give the agent tasks',
    load: async () => (await import('./commands/webhook.ts')).command,
  },
  completion: {
    summary: 'Print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).command,
  },
  version: {
    summary: 'Show the version and where things are',
    load: async () => (await import('./commands/version.ts')).command,
  },
}
