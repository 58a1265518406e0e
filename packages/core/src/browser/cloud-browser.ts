import type { OpenBrowser } from './browser-backend.ts'
import { connectTo } from './cdp-address.ts'

/** A session that a service has begun. */
export interface CloudSession extends Pick<OpenBrowser, 'stealthFeatures' | 'stealthWarning'> {
  readonly cdpUrl: string
  /** Ends it at the service, which is paid by the time. */
  readonly stop: (signal: AbortSignal) => Promise<unknown>
}

const stopTimeoutMs = 10_000

/** Connects to a session of a service; whatever happens, the session is stopped. */
export async function openCloudBrowser(session: CloudSession, signal: AbortSignal): Promise<OpenBrowser> {
  const { cdpUrl, stop, ...facts } = session
  try {
    const connection = await connectTo(cdpUrl, signal)
    return {
      ...facts,
      connection,
      checkedBy: 'documents',
      async [Symbol.asyncDispose]() {
        const stopped = stop(AbortSignal.timeout(stopTimeoutMs))
        connection.close()
        await stopped
      },
    }
  } catch (error) {
    await stop(AbortSignal.timeout(stopTimeoutMs))
    throw error
  }
}
