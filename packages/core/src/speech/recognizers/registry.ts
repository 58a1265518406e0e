import type { Recognizer } from '../recognizer.ts'

/** Everything that recognises speech, by the name that `stt.provider` has for it, in the order in which `auto` tries them. */
export const recognizers: Readonly<Record<string, () => Promise<Recognizer>>> = {
  local: async () => (await import('./local.ts')).local,
  local_command: async () => (await import('./local-command.ts')).localCommand,
  groq: async () => (await import('./groq.ts')).groq,
  openai: async () => (await import('./openai.ts')).openai,
  mistral: async () => (await import('./mistral.ts')).mistral,
}
