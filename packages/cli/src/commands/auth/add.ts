import { keepSignIn } from '@hermes/core/credentials/keep-sign-in.ts'
import { addKey } from '@hermes/core/credentials/manage.ts'
import type { OAuthProvider } from '@hermes/core/credentials/oauth/provider.ts'
import { oauthProviders } from '@hermes/core/credentials/oauth/providers.ts'
import { signIn } from '@hermes/core/credentials/oauth/sign-in.ts'
import { providerKeys } from '@hermes/core/credentials/provider-keys.ts'
import type { Cli, Command, CommandInput } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { text } from '../../option-values.ts'
import { type Credentials, openCredentials, providerOf } from './open-credentials.ts'
import { readSecret } from './read-secret.ts'
import { signInFlags, signInOptions } from './sign-in-options.ts'
import { terminalFace } from './terminal-face.ts'

/** `hermes auth add`. */
export const addCommand: Command = {
  name: 'add',
  summary: 'Add an API key, or sign in, to a provider; several are used in turn',
  positionals: '<provider>',
  options: {
    type: {
      type: 'string',
      value: 'TYPE',
      description: 'What to add; a sign-in where there is one',
      choices: ['oauth', 'api-key', 'api_key'],
    },
    label: { type: 'string', value: 'NAME', description: 'What to call it' },
    'api-key': { type: 'string', value: 'KEY', description: 'The key; without it the key is asked for, unseen' },
    ...signInOptions,
  },
  examples: [
    'hermes auth add openrouter                    asks for the key without showing it',
    'pass show openrouter | hermes auth add openrouter',
    'hermes auth add nous                          signs in with a code',
    'hermes auth add anthropic --no-browser        signs in from a machine without a browser',
  ],
  async run({ positionals, options }, cli) {
    const [word, ...rest] = positionals
    if (word === undefined || rest.length > 0) throw new UsageError('hermes auth add: give one provider')
    const provider = providerOf(word, 'hermes auth add')
    return addCredential({ provider, options }, await openCredentials(cli), cli)
  },
}

export interface Addition {
  readonly provider: string
  readonly options: CommandInput['options']
}

/** Adds what the options ask for. Resolves to the exit code. */
export async function addCredential(
  { provider, options }: Addition,
  credentials: Credentials,
  cli: Cli,
): Promise<number> {
  const flags = signInFlags(options)
  const label = text(options['label'])
  const oauth = oauthProviders[provider]
  if (typeOf(provider, options) === 'oauth') {
    if (!oauth) throw new UsageError(`hermes auth add: ${provider} has no sign-in; it takes an API key`)
    const name = await signInTo(oauth, { as: 'add', label, options }, credentials, cli)
    cli.stdout.write(`Signed in to ${oauth.title} as ${name}.\n`)
    return 0
  }
  const title = providerKeys[provider]?.title ?? provider
  const secret = text(options['api-key']) ?? (await readSecret(cli, `API key for ${title} (not shown): `))
  const name = await addKey(credentials.pool, { provider, secret, label, baseUrl: flags.inferenceUrl })
  cli.stdout.write(`Added ${name} to ${provider}.\n`)
  return 0
}

function typeOf(provider: string, options: CommandInput['options']): 'oauth' | 'api-key' {
  const type = text(options['type'])
  if (type !== undefined) return type === 'oauth' ? 'oauth' : 'api-key'
  return options['api-key'] === undefined && oauthProviders[provider] ? 'oauth' : 'api-key'
}

export interface SignInRequest {
  readonly as: 'login' | 'add'
  readonly label?: string | undefined
  readonly options: CommandInput['options']
}

/** Signs a person in at the terminal and keeps it. Resolves to what it is called. */
export async function signInTo(
  provider: OAuthProvider,
  { as, label, options }: SignInRequest,
  { pool, clock, manage }: Credentials,
  cli: Cli,
): Promise<string> {
  const { environment } = manage
  const face = terminalFace(cli, provider.title, { noBrowser: options['no-browser'] === true })
  const signedIn = await signIn({ provider, face, environment, clock, ...signInFlags(options) }, cli.signal)
  return keepSignIn(pool, { ...manage, clock, provider, signedIn, label, as })
}
