import { scanText } from '../security/injection/scan.ts'

/**
 * A skill may well show how a command uses a key from the environment; whether that gives it away is the guard's to
 * judge, before it is installed. Here only what turns the agent against its person counts.
 */
const forTheGuard: ReadonlySet<string> = new Set([
  'exfil_curl',
  'exfil_wget',
  'exfil_pipe',
  'exfil_code',
  'exfil_files',
  'read_secrets',
])

/** Ids of what a skill's text holds and must not, where a model is to read it; empty for a harmless one. */
export function scanSkillText(text: string): string[] {
  return scanText(text, 'skill').filter((id) => !forTheGuard.has(id))
}
