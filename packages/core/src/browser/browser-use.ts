// https://docs.browser-use.com/cloud/browser: closing the connection does not end the browser, so it is stopped. Its
// `cdpUrl` is an https:// address at which the browser tells its WebSocket.
import { z } from 'zod'
import type { BackendContext, BrowserBackend } from './browser-backend.ts'
import { openCloudBrowser } from './cloud-browser.ts'
import { callService } from './service-call.ts'

export const browserUse: BrowserBackend = {
  name: 'browser-use',
  label: 'Browser Use',
  async open(context, signal) {
    return openCloudBrowser(await begin(context, signal), signal)
  },
}

const service = 'Browser Use'
const created = z.looseObject({ id: z.string(), cdpUrl: z.string() })

async function begin({ environment }: BackendContext, signal: AbortSignal) {
  const base = (environment['BROWSER_USE_BASE_URL'] || 'https://api.browser-use.com').replace(/\/$/, '')
  const headers = { 'x-browser-use-api-key': environment['BROWSER_USE_API_KEY'] ?? '' }
  const call = { service, url: `${base}/api/v3/browsers`, method: 'POST', headers, body: {} } as const
  const session = await callService(call, created, signal)
  return {
    cdpUrl: session.cdpUrl,
    stealthFeatures: ['stealth', 'residential_proxies'],
    stop: (stopping: AbortSignal) =>
      callService(
        { service, url: `${call.url}/${session.id}`, method: 'PATCH', headers, body: { action: 'stop' } },
        z.unknown(),
        stopping,
      ),
  }
}
