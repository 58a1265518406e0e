import type { z } from 'zod'

/** What is wrong with a frame, for its sender: `device.id: Invalid input`. Never the value, which may be a secret. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues
  if (!issue) return 'wrong'
  const path = issue.path.join('.')
  const message = issue.message.slice(0, 300)
  return path === '' ? message : `${path}: ${message}`
}
