/** A provider that existing homes may name and that this version cannot call. */
export interface MissingProvider {
  readonly name: string
  readonly label: string
  /** Environment variables that show that a person uses it. */
  readonly keyNames: readonly string[]
}

/** They speak another wire, or log in with something else than a key. */
export const missingProviders: readonly MissingProvider[] = [
  {
    name: 'anthropic',
    label: 'Anthropic',
    keyNames: ['ANTHROPIC_API_KEY', 'ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  { name: 'nous', label: 'Nous Portal', keyNames: [] },
  { name: 'openai-codex', label: 'OpenAI Codex', keyNames: [] },
  { name: 'qwen-oauth', label: 'Qwen Portal', keyNames: [] },
  { name: 'copilot', label: 'GitHub Copilot', keyNames: ['COPILOT_GITHUB_TOKEN'] },
  { name: 'copilot-acp', label: 'GitHub Copilot (ACP)', keyNames: [] },
  { name: 'gemini', label: 'Google Gemini', keyNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
  { name: 'minimax', label: 'MiniMax', keyNames: ['MINIMAX_API_KEY'] },
  { name: 'minimax-cn', label: 'MiniMax (China)', keyNames: ['MINIMAX_CN_API_KEY'] },
  { name: 'opencode-zen', label: 'OpenCode Zen', keyNames: ['OPENCODE_ZEN_API_KEY'] },
  { name: 'opencode-go', label: 'OpenCode Go', keyNames: ['OPENCODE_GO_API_KEY'] },
  { name: 'bedrock', label: 'Amazon Bedrock', keyNames: [] },
]
