import { isSignIn, ownDialect } from '../anthropic/dialect.ts'
import type { ProviderFacts } from './provider.ts'

/** By a key of the console, a sign-in, or a setup token. */
export const anthropic: ProviderFacts = {
  name: 'anthropic',
  label: 'Anthropic',
  keys: [
    { name: 'ANTHROPIC_TOKEN', isToken: true },
    { name: 'CLAUDE_CODE_OAUTH_TOKEN', isToken: true },
    { name: 'ANTHROPIC_API_KEY' },
  ],
  needsKey: true,
  signsIn: true,
  baseUrl: 'https://api.anthropic.com',
  isSubscription: ({ apiKey }) => isSignIn(apiKey),
  keyPage: 'https://console.anthropic.com/settings/keys',
  defaultModel: 'claude-sonnet-4-6',
  sideModel: 'claude-haiku-4-5-20251001',
  isFoundByKey: true,
  speaks: { messages: ownDialect },
}
