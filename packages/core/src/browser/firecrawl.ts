// https://docs.firecrawl.dev/api-reference/endpoint/browser-create
import { z } from 'zod'
import type { BackendContext, BrowserBackend } from './browser-backend.ts'
import { BrowserError } from './browser-error.ts'
import { openCloudBrowser } from './cloud-browser.ts'
import { callService } from './service-call.ts'

export const firecrawl: BrowserBackend = {
  name: 'firecrawl',
  label: 'Firecrawl',
  async open(context, signal) {
    return openCloudBrowser(await begin(context, signal), signal)
  },
}

const service = 'Firecrawl'
const created = z.looseObject({ success: z.boolean(), id: z.string().optional(), cdpUrl: z.string().optional() })
const defaultTtlSeconds = 300

async function begin({ environment }: BackendContext, signal: AbortSignal) {
  const base = (environment['FIRECRAWL_API_URL'] || 'https://api.firecrawl.dev').replace(/\/$/, '')
  const headers = { authorization: `Bearer ${environment['FIRECRAWL_API_KEY'] ?? ''}` }
  const ttl = Number(environment['FIRECRAWL_BROWSER_TTL']) || defaultTtlSeconds
  const body = { ttl: Math.min(3_600, Math.max(30, Math.trunc(ttl))) }
  const session = await callService(
    { service, url: `${base}/v2/browser`, method: 'POST', headers, body },
    created,
    signal,
  )
  const { id, cdpUrl } = session
  if (!session.success || id === undefined || cdpUrl === undefined) {
    throw new BrowserError('failed', 'Firecrawl did not start a browser.')
  }
  return {
    cdpUrl,
    stop: (stopping: AbortSignal) =>
      callService({ service, url: `${base}/v2/browser/${id}`, method: 'DELETE', headers }, z.unknown(), stopping),
  }
}
