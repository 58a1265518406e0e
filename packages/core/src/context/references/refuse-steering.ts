import { scanText } from '../../security/injection/scan.ts'
import { AttachmentError } from './attachment.ts'

/** Throws `AttachmentError` when a text tries to steer the agent. `context`: prose of a project. */
export function refuseSteering(text: string, kind: 'context' | 'code' | 'page'): void {
  const found = scanText(text, kind)
  if (found.length === 0) return
  throw new AttachmentError('unsafe', `it holds text that tries to steer the agent (${found.join(', ')})`)
}
