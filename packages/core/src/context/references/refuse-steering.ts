import { scanPromptText } from '../../security/injection-scan.ts'
import { AttachmentError } from './attachment.ts'

/** What program text and pages do every day: hide an element, use a key in a call, say what not to show. */
const usualInCode: ReadonlySet<string> = new Set([
  'html_comment_injection',
  'hidden_div',
  'exfil_curl',
  'read_secrets',
  'deception_hide',
  'translate_execute',
])

/** Throws `AttachmentError` when a text tries to steer the agent. */
export function refuseSteering(text: string, kind: 'prose' | 'code' | 'page'): void {
  const found = scanPromptText(text).filter((id) => kind !== 'code' || !usualInCode.has(id))
  if (found.length === 0) return
  throw new AttachmentError('unsafe', `it holds text that tries to steer the agent (${found.join(', ')})`)
}
