import type { Home } from '../config/home.ts'
import { scanKept } from '../security/injection/scan-kept.ts'

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
export async function scanSkillText(text: string): Promise<readonly string[]> {
  const { scanText } = await import('../security/injection/scan.ts')
  return withoutGuarded(scanText(text, 'skill'))
}

/** The same for each of some texts; harmless ones are remembered in the home. */
export async function scanSkillTexts(texts: readonly string[], home: Home): Promise<readonly (readonly string[])[]> {
  return (await scanKept(texts, 'skill', home)).map(withoutGuarded)
}

function withoutGuarded(ids: readonly string[]): readonly string[] {
  return ids.filter((id) => !forTheGuard.has(id))
}
