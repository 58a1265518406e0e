import type { CommandInput, OptionSpec } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { text } from '../../option-values.ts'
import type { SignInOptions } from '@hermes/core/credentials/oauth/sign-in.ts'

/** The flags of every command that signs in. */
export const signInOptions: Readonly<Record<string, OptionSpec>> = {
  'portal-url': { type: 'string', value: 'URL', description: "Sign-in server, in place of the provider's own" },
  'inference-url': { type: 'string', value: 'URL', description: 'Where models are reached with it' },
  'client-id': { type: 'string', value: 'ID', description: 'OAuth client id' },
  scope: { type: 'string', value: 'SCOPE', description: 'OAuth scope' },
  'no-browser': { type: 'boolean', description: 'Open no browser: show the address, and take the code here' },
  timeout: { type: 'string', value: 'SECONDS', description: 'How long the sign-in may take (default 900)' },
  'ca-bundle': { type: 'string', value: 'FILE', description: 'Certificates to trust, PEM' },
  insecure: { type: 'boolean', description: 'Do not check the certificate (dangerous)' },
}

export type SignInFlags = Pick<SignInOptions, 'server' | 'inferenceUrl' | 'clientId' | 'scope' | 'tls' | 'timeoutMs'>

/** What the flags ask for. Throws `UsageError` naming the one that is wrong. */
export function signInFlags(options: CommandInput['options']): SignInFlags {
  const caBundle = text(options['ca-bundle'])
  const insecure = options['insecure'] === true
  return {
    server: url(options, 'portal-url'),
    inferenceUrl: url(options, 'inference-url'),
    clientId: text(options['client-id']),
    scope: text(options['scope']),
    timeoutMs: seconds(options),
    ...((insecure || caBundle !== undefined) && { tls: { insecure, ...(caBundle !== undefined && { caBundle }) } }),
  }
}

function url(options: CommandInput['options'], name: string): string | undefined {
  const given = text(options[name])
  if (given === undefined) return undefined
  const parsed = URL.parse(given)
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return given.replace(/\/+$/, '')
  throw new UsageError(`--${name} takes an address such as https://portal.example; got "${given}"`)
}

function seconds(options: CommandInput['options']): number | undefined {
  const given = text(options['timeout'])
  if (given === undefined) return undefined
  const number = Number(given)
  if (!/^\d+(\.\d+)?$/.test(given) || number <= 0 || number > 86_400) {
    throw new UsageError(`--timeout takes seconds, at most a day; got "${given}"`)
  }
  return number * 1000
}
