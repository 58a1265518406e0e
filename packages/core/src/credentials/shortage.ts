import { CredentialError } from './credential-error.ts'
import type { EntryState } from './entry.ts'
import { oauthProviders } from './oauth/providers.ts'
import { providerKeys } from './provider-keys.ts'

export interface Shortage {
  readonly provider: string
  /** Of all its credentials. */
  readonly states: readonly EntryState[]
  /** Why those that were tried just now could not be used. */
  readonly failures: readonly unknown[]
}

/** Why a provider has no credential to lend, and what to do about it. */
export function shortage({ provider, states, failures }: Shortage): CredentialError {
  const title = providerKeys[provider]?.title ?? provider.replace(/^custom:/, '')
  const cooling = states.flatMap((state) => (state.name === 'cooling' ? [state.untilMs] : []))
  if (cooling.length > 0) {
    const availableAtMs = Math.min(...cooling)
    const when = localTime(availableAtMs)
    const message = `Every credential of ${title} is resting after the provider refused it; the first is back at ${when}.`
    return new CredentialError('cooling', `${message} "hermes auth add ${provider}" adds another.`, { availableAtMs })
  }
  const refresh = failures.find((failure) => failure instanceof CredentialError)
  if (refresh) return refresh
  if (states.some(({ name }) => name === 'ended')) {
    return new CredentialError('sign-in', `The sign-in to ${title} is over. ${howToSignIn(provider)}`)
  }
  return new CredentialError('none', `There is no credential for ${title}. ${howToGetOne(provider)}`)
}

/** A point of time as the clock on the wall shows it, to the minute. */
function localTime(ms: number): string {
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' }).format(ms)
}

export function howToSignIn(provider: string): string {
  return `Sign in again with: hermes auth add ${provider}${oauthProviders[provider] ? ' --type oauth' : ''}`
}

function howToGetOne(provider: string): string {
  const [variable] = providerKeys[provider]?.keys ?? []
  const add = `run: hermes auth add ${provider}`
  return variable ? `Set ${variable.name} in .env, or ${add}` : `To sign in, ${add}`
}
