import { z } from 'zod'
import { checkUrl } from '../../security/network/check-url.ts'
import type { NetworkRules } from '../../security/network/network-rules.ts'
import type { CdpSession } from '../cdp/connection.ts'

/** Holds the requests of a page to the rules in a browser that does not do so itself. */
export interface RequestCheck {
  readonly rules: NetworkRules
  readonly what: 'all' | 'documents'
  /** Told why a page was refused. */
  readonly refused: (reason: string) => void
}

const paused = z.looseObject({
  requestId: z.string(),
  resourceType: z.string(),
  request: z.looseObject({ url: z.string() }),
})

const checkTimeoutMs = 15_000

/** Stops every request of a session until it was judged; each hop of a redirect is one. */
export async function checkRequests(session: CdpSession, { rules, what, refused }: RequestCheck): Promise<void> {
  session.on('Fetch.requestPaused', paused, ({ requestId, resourceType, request }) => {
    judge(request.url, rules)
      .then((reason) => {
        if (reason === undefined) return session.send('Fetch.continueRequest', { requestId })
        if (resourceType === 'Document') refused(reason)
        return session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      })
      // The page has gone meanwhile, and its requests with it.
      .catch(() => undefined)
  })
  const patterns = what === 'all' ? [{ urlPattern: '*' }] : [{ urlPattern: '*', resourceType: 'Document' }]
  await session.send('Fetch.enable', { patterns })
}

/** Why a request is refused. What does not leave the browser may pass. */
async function judge(url: string, rules: NetworkRules): Promise<string | undefined> {
  if (/^(?:data|blob|about):/i.test(url)) return undefined
  try {
    const verdict = await checkUrl(url, rules, AbortSignal.timeout(checkTimeoutMs))
    return verdict.allowed ? undefined : verdict.reason
  } catch (error) {
    return `The address could not be checked: ${error instanceof Error ? error.message : String(error)}`
  }
}
