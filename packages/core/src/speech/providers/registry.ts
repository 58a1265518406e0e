import type { SpeechProvider } from '../speech-provider.ts'

/** Everything that speaks, by the name that `tts.provider` has for it. */
export const speechProviders: Readonly<Record<string, () => Promise<SpeechProvider>>> = {
  edge: async () => (await import('./edge.ts')).edge,
  elevenlabs: async () => (await import('./elevenlabs.ts')).elevenlabs,
  openai: async () => (await import('./openai.ts')).openai,
  minimax: async () => (await import('./minimax.ts')).minimax,
  mistral: async () => (await import('./mistral.ts')).mistral,
  neutts: async () => (await import('./neutts.ts')).neutts,
  local_command: async () => (await import('./local-command.ts')).localCommand,
}

/** What is tried, in this order, where the chosen one fails: all of it costs nothing. */
export const freeProviders: readonly string[] = ['edge', 'neutts', 'local_command']
