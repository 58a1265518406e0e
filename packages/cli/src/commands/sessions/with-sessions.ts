import { type Clock, systemClock } from '@hermes/core/agent/clock.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { type Profile, openProfile } from '@hermes/core/config/open-profile.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { knownSecrets } from '@hermes/core/security/known-secrets.ts'
import { createRedactor } from '@hermes/core/security/redact.ts'
import { SessionError, type Session, type SessionStore } from '@hermes/core/sessions/store.ts'
import { type Cli, CommandError } from '../../command.ts'
import { noSuchSession } from '../../session-for.ts'
import { withoutSecrets } from './hide-secrets.ts'

/** What the session commands work with. */
export interface Sessions {
  readonly store: SessionStore
  readonly clock: Clock
  /** Undefined where the configuration has a mistake: sessions can be looked at all the same. */
  readonly profile: Profile | undefined
}

/** Opens the profile's sessions for as long as `work` lasts. The store's failures become `CommandError`s. */
export async function withSessions<T>(cli: Cli, work: (sessions: Sessions) => Promise<T>): Promise<T> {
  const { openSqliteSessionStore } = await import('@hermes/core/sessions/sqlite.ts')
  const profile = await profileOf(cli)
  const home = openHome(cli.environment)
  const clock = systemClock(profile?.config.timezone)
  try {
    const store = await openSqliteSessionStore({ home, clock, log: silentLogger })
    try {
      const redactor = createRedactor({
        enabled: profile?.config.security.redact_secrets ?? true,
        known: profile ? knownSecrets(profile.environment, profile.config) : [],
      })
      return await work({ store: withoutSecrets(store, redactor), clock, profile })
    } finally {
      await store.close()
    }
  } catch (error) {
    if (error instanceof SessionError) throw new CommandError(`${error.message}.`, 1, { cause: error })
    throw error
  }
}

async function profileOf(cli: Cli): Promise<Profile | undefined> {
  try {
    return await openProfile(cli.environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    cli.stderr.write(`! ${error.message}\n`)
    return undefined
  }
}

/** The session that a person named. Throws `CommandError` where there is none. */
export async function namedSession(store: SessionStore, name: string): Promise<Session> {
  const session = await store.resolve(name)
  if (!session) throw noSuchSession(name)
  return session
}
