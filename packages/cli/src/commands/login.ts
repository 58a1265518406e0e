import { oauthProviders } from '@hermes/core/credentials/oauth/providers.ts'
import type { Cli, Command, CommandInput } from '../command.ts'
import { UsageError } from '../command.ts'
import { text } from '../option-values.ts'
import { signInTo } from './auth/add.ts'
import { askLine } from './auth/ask-line.ts'
import { openCredentials, providerOf } from './auth/open-credentials.ts'
import { signInFlags, signInOptions } from './auth/sign-in-options.ts'

const names = Object.keys(oauthProviders).join(', ')

/** `hermes login`: the provider's one sign-in, which becomes the active one. */
export const command: Command = {
  name: 'login',
  summary: `Sign in to a provider: ${names}`,
  positionals: '[provider]',
  options: {
    provider: { type: 'string', value: 'NAME', description: 'Provider to sign in to' },
    ...signInOptions,
  },
  examples: ['hermes login nous', 'hermes login --provider anthropic --no-browser'],
  async run({ positionals, options }, cli) {
    signInFlags(options)
    const word = wantedProvider(positionals, options, 'hermes login') ?? (await chosen(cli))
    const id = providerOf(word, 'hermes login')
    const provider = oauthProviders[id]
    if (!provider) throw new UsageError(`hermes login: ${id} has no sign-in; add a key with: hermes auth add ${id}`)
    const name = await signInTo(provider, { as: 'login', options }, await openCredentials(cli), cli)
    cli.stdout.write(`Signed in to ${provider.title}${name === provider.title ? '' : ` as ${name}`}.\n`)
    return 0
  },
}

/** The provider that is named, by flag or by position. */
export function wantedProvider(
  positionals: readonly string[],
  options: CommandInput['options'],
  command: string,
): string | undefined {
  const [word, ...rest] = positionals
  const flag = text(options['provider'])
  if (rest.length > 0 || (word !== undefined && flag !== undefined))
    throw new UsageError(`${command}: give one provider`)
  return flag ?? word
}

async function chosen(cli: Cli): Promise<string> {
  const answer = cli.stdin.isTTY ? await askLine(cli, `Provider (${names}): `, cli.signal) : undefined
  if (!answer?.trim()) throw new UsageError(`hermes login: give a provider: ${names}`)
  return answer
}
