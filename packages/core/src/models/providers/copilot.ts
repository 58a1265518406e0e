import type { ModelRequest, ReasoningEffort } from '../model.ts'
import { threeSteps } from '../reasoning-effort.ts'
import type { Fields } from '../wire/json-fields.ts'
import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

// Surprises: a header says whether a person or the agent asks, which decides what the call costs, and another one that a
// picture is in it. Encrypted reasoning does not come back.

/** GitHub's models, by a token of GitHub; those of personal access in its old form are refused. */
export const copilot: ProviderFacts = {
  name: 'copilot',
  label: 'GitHub Copilot',
  keys: variables('COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'),
  needsKey: true,
  signsIn: true,
  baseUrlVariable: 'COPILOT_API_BASE_URL',
  baseUrl: 'https://api.githubcopilot.com',
  defaultModel: 'gpt-4.1',
  sideModel: 'gpt-4.1',
  // The tokens are there for git.
  isFoundByKey: false,
  speaks: {
    chat: { ...hostedDialect, headers, reasoning },
    responses: { limitsOutput: true, keepsReasoning: false, headers: (_key, request) => headers(request) },
  },
  wireFor: (model) => (/^gpt-([6-9]|5(?!-mini))|codex/.test(model) ? 'responses' : 'chat'),
}

function headers(request: ModelRequest | undefined): Readonly<Record<string, string>> {
  const messages = request?.messages ?? []
  const hasPicture = messages.some((message) => message.role === 'user' && (message.images?.length ?? 0) > 0)
  return {
    'editor-version': 'hermes-agent/1.0',
    'openai-intent': 'conversation-edits',
    'x-initiator': messages.at(-1)?.role === 'user' ? 'user' : 'agent',
    ...(hasPicture && { 'copilot-vision-request': 'true' }),
  }
}

/** Three steps, where the model has any. */
function reasoning(model: string, effort: ReasoningEffort | undefined): Fields {
  if (effort === undefined || effort === 'none' || !/gpt-5|^o[134]|codex/.test(model)) return {}
  return { reasoning_effort: threeSteps(effort) }
}
