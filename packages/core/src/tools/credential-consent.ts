import { askConsent } from '../security/consent/consent.ts'
import { isCredentialFile } from '../security/credential-files.ts'
import type { CheckedPath } from '../security/file-safety.ts'
import { jsonResult } from './tool.ts'
import type { ToolContext, ToolResult } from './tool.ts'

/** The same as for a command that gives such a file out: who allowed one, allowed the other. */
const readOfCredentials = { key: 'read of credentials', permanent: true } as const

/** Asks before a project's file with credentials is read into the conversation; a result where that is refused. */
export async function refuseCredentials(
  { asked, path, stats }: CheckedPath,
  context: ToolContext,
): Promise<ToolResult | undefined> {
  if (!stats?.isFile() || !(await isCredentialFile(asked, path))) return undefined
  const question = { kind: 'tool', subject: `read ${asked}`, dangers: [readOfCredentials] } as const
  const consent = await askConsent(question, context)
  return consent.allowed ? undefined : jsonResult({ error: consent.message }, 'denied')
}
