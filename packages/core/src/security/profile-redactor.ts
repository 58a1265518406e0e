import { readIfThere } from '../config/read-if-there.ts'
import type { Profile } from '../config/open-profile.ts'
import { knownSecrets, secretsIn } from './known-secrets.ts'
import { createRedactor } from './redact.ts'
import type { Redactor } from './redact.ts'

/** A redactor that knows all secrets of a profile: of its variables, settings and sign-ins. Throws `ConfigError`. */
export function profileRedactor(
  { home, environment, config }: Pick<Profile, 'home' | 'environment' | 'config'>,
  { enabled }: { readonly enabled: boolean },
): Redactor {
  return createRedactor({ enabled, known: [...knownSecrets(environment, config), ...secretsIn(signIns(home))] })
}

function signIns(home: Profile['home']): unknown {
  try {
    return JSON.parse(readIfThere(home.path('auth.json'))?.toString('utf8') ?? 'null')
  } catch (error) {
    // A broken file has nothing that anybody could use.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
