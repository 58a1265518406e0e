import { editConfig } from '@hermes/core/config/edit.ts'
import { getAt } from '@hermes/core/config/tree.ts'
import { activeProvider, logOut } from '@hermes/core/credentials/manage.ts'
import { providerId } from '@hermes/core/credentials/provider-keys.ts'
import type { Command } from '../command.ts'
import { type Credentials, openCredentials, providerOf } from './auth/open-credentials.ts'
import { wantedProvider } from './login.ts'

/** `hermes logout`. */
export const command: Command = {
  name: 'logout',
  summary: 'End the sign-ins to a provider, or to the one that was signed in to last; keys stay',
  positionals: '[provider]',
  options: { provider: { type: 'string', value: 'NAME', description: 'Provider to sign out of' } },
  async run({ positionals, options }, cli) {
    const credentials = await openCredentials(cli)
    const word = wantedProvider(positionals, options, 'hermes logout') ?? (await activeProvider(credentials.pool))
    if (word === undefined) {
      cli.stdout.write('You are not signed in to any provider.\n')
      return 0
    }
    const provider = providerOf(word, 'hermes logout')
    if (!(await logOut(credentials.pool, provider, credentials.manage))) {
      cli.stdout.write(`You are not signed in to ${provider}.\n`)
      return 0
    }
    cli.stdout.write(`Signed out of ${provider}.\n`)
    if (await forgetChoice(provider, credentials, cli.signal)) {
      cli.stdout.write('The model of config.yaml was of this provider; now the provider is chosen by itself.\n')
    }
    return 0
  },
}

/** A model that was chosen from the provider cannot answer any more. */
async function forgetChoice(provider: string, { profile, pool }: Credentials, signal: AbortSignal): Promise<boolean> {
  if (providerId(profile.config.model.provider) !== provider || (await pool.has(provider))) return false
  const { home, environment } = profile
  return editConfig({ home, environment, signal }, (tree) => {
    if (getAt(tree, ['model', 'provider']) === undefined) return []
    return [
      { path: ['model', 'provider'], value: 'auto' },
      { path: ['model', 'base_url'], value: undefined },
    ]
  })
}
