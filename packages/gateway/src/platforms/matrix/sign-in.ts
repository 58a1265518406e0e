import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { z } from 'zod'
import type { MatrixClient } from './client.ts'
import { MatrixError } from './errors.ts'
import type { MatrixSettings } from './settings.ts'

/** Who we are on the server. */
export interface Session {
  readonly userId: string
  readonly deviceId: string
}

const whoami = z.looseObject({ user_id: z.string(), device_id: z.string().optional() })

/** The session of a sign-in by password, kept so that each start is no new sign-in. */
const kept = z.object({
  homeserver: z.string(),
  user: z.string(),
  device_id: z.string(),
  access_token: z.string(),
})

const signedIn = z.looseObject({ user_id: z.string(), device_id: z.string(), access_token: z.string() })

type Settings = Pick<MatrixSettings, 'homeserver' | 'credentials' | 'deviceId'>

/** Signs in, or takes up the session that there is; the client has its token then. Throws `PlatformError`. */
export async function signIn(
  client: MatrixClient,
  settings: Settings,
  home: Home,
  signal: AbortSignal,
): Promise<Session> {
  const { credentials, deviceId } = settings
  if (credentials.type === 'token') {
    client.accessToken = credentials.accessToken
    const me = await client.call(whoami, { method: 'GET', path: '/client/v3/account/whoami' }, signal)
    return { userId: me.user_id, deviceId: deviceId ?? me.device_id ?? 'HERMES' }
  }
  const { user, password } = credentials
  const known = await readKept(settings, user, home)
  if (known && (deviceId === undefined || known.device_id === deviceId)) {
    client.accessToken = known.access_token
    try {
      const me = await client.call(whoami, { method: 'GET', path: '/client/v3/account/whoami' }, signal)
      return { userId: me.user_id, deviceId: known.device_id }
    } catch (error) {
      if (!(error instanceof MatrixError) || error.code !== 'unauthorised') throw error
    }
  }
  client.accessToken = undefined
  const device = deviceId ?? known?.device_id
  const body = {
    type: 'm.login.password',
    identifier: { type: 'm.id.user', user },
    password,
    initial_device_display_name: 'Hermes',
    ...(device !== undefined && { device_id: device }),
  }
  const made = await client.call(signedIn, { method: 'POST', path: '/client/v3/login', body }, signal)
  client.accessToken = made.access_token
  const session = { homeserver: settings.homeserver, user, device_id: made.device_id, access_token: made.access_token }
  await writeFileAtomic(sessionPath(home), JSON.stringify(session), { mode: 0o600 })
  return { userId: made.user_id, deviceId: made.device_id }
}

/** Forgets the device of a sign-in by password, so that the next one makes another. */
export async function forgetSession(home: Home): Promise<void> {
  await writeFileAtomic(sessionPath(home), '{}', { mode: 0o600 })
}

function sessionPath(home: Home): string {
  return home.path('platforms', 'matrix', 'session.json')
}

async function readKept({ homeserver }: Settings, user: string, home: Home): Promise<z.infer<typeof kept> | undefined> {
  let text: string
  try {
    text = await readFile(sessionPath(home), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    const found = kept.safeParse(JSON.parse(text)).data
    return found?.homeserver === homeserver && found.user === user ? found : undefined
  } catch {
    // A broken file is none: it is signed in anew.
    return undefined
  }
}
