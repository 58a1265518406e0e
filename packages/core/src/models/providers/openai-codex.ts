import { jwtClaims } from '../../credentials/jwt-claims.ts'
import type { ResponsesDialect } from '../responses/dialect.ts'
import { fields, text } from '../wire/json-fields.ts'
import type { ProviderFacts } from './provider.ts'

// Surprises: the account is told in a header and read from the token; instructions must be there and an output limit must
// not; models are listed by their `slug`.

const dialect: ResponsesDialect = {
  limitsOutput: false,
  keepsReasoning: true,
  usualInstructions: 'You are a helpful assistant.',
  modelsPath: '/models?client_version=1.0.0',
  headers: (token, request) => {
    const account = accountOf(token)
    return {
      originator: 'hermes-agent',
      'openai-beta': 'responses=experimental',
      ...(account !== undefined && { 'chatgpt-account-id': account }),
      ...(request?.sessionId !== undefined && { session_id: request.sessionId }),
    }
  },
  extraBody: ({ model, priority }) => (priority && /gpt-5\.[4-9]/.test(model) ? { service_tier: 'priority' } : {}),
}

/** What comes with a ChatGPT subscription. */
export const openAiCodex: ProviderFacts = {
  name: 'openai-codex',
  label: 'OpenAI Codex',
  keys: [],
  needsKey: true,
  signsIn: true,
  baseUrlVariable: 'HERMES_CODEX_BASE_URL',
  baseUrl: 'https://chatgpt.com/backend-api/codex',
  defaultModel: 'gpt-5.3-codex',
  sideModel: 'gpt-5.2-codex',
  isFoundByKey: true,
  speaks: { responses: dialect },
}

/** The ChatGPT account that a token belongs to. */
function accountOf(token: string | undefined): string | undefined {
  const claims = token === undefined ? undefined : jwtClaims(token)
  return text(fields(claims?.['https://api.openai.com/auth'])?.['chatgpt_account_id'])
}
