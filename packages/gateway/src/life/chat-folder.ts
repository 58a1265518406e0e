import { isAbsolute, join } from 'node:path'
import type { Environment } from '@hermes/core/agent/context.ts'
import { isFolder } from '@hermes/core/storage/if-allowed.ts'

/**
 * The folder that conversations of chats begin in, where `terminal.cwd` names none: `MESSAGING_CWD`, else the person's
 * home folder, whatever folder the gateway was started from. `otherwise`: where there is no such folder.
 */
export function chatFolder(environment: Environment, otherwise: string): string {
  const home = environment['HOME'] ?? otherwise
  const wanted = environment['MESSAGING_CWD']?.trim() ?? ''
  const named = ['', '.', 'auto', 'cwd'].includes(wanted) ? home : wanted.replace(/^~(?=\/|$)/, home)
  return [isAbsolute(named) ? named : join(home, named), home].find(isFolder) ?? otherwise
}
