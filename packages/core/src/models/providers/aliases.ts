/** Other names of providers, as people and existing configurations write them. */
const aliases: Readonly<Record<string, string>> = {
  glm: 'zai',
  'z-ai': 'zai',
  'z.ai': 'zai',
  zhipu: 'zai',
  google: 'gemini',
  'google-gemini': 'gemini',
  'google-ai-studio': 'gemini',
  kimi: 'kimi-coding',
  'kimi-for-coding': 'kimi-coding',
  moonshot: 'kimi-coding',
  'kimi-cn': 'kimi-coding-cn',
  'moonshot-cn': 'kimi-coding-cn',
  'arcee-ai': 'arcee',
  arceeai: 'arcee',
  'minimax-china': 'minimax-cn',
  minimax_cn: 'minimax-cn',
  claude: 'anthropic',
  'claude-code': 'anthropic',
  codex: 'openai-codex',
  github: 'copilot',
  'github-copilot': 'copilot',
  'github-models': 'copilot',
  'github-model': 'copilot',
  'github-copilot-acp': 'copilot-acp',
  'copilot-acp-agent': 'copilot-acp',
  aigateway: 'ai-gateway',
  vercel: 'ai-gateway',
  'vercel-ai-gateway': 'ai-gateway',
  opencode: 'opencode-zen',
  zen: 'opencode-zen',
  go: 'opencode-go',
  'opencode-go-sub': 'opencode-go',
  'qwen-portal': 'qwen-oauth',
  'qwen-cli': 'qwen-oauth',
  hf: 'huggingface',
  'hugging-face': 'huggingface',
  'huggingface-hub': 'huggingface',
  mimo: 'xiaomi',
  'xiaomi-mimo': 'xiaomi',
  kilo: 'kilocode',
  'kilo-code': 'kilocode',
  'kilo-gateway': 'kilocode',
  'lm-studio': 'lmstudio',
  lm_studio: 'lmstudio',
  'llama.cpp': 'llamacpp',
  'llama-cpp': 'llamacpp',
  'aws-bedrock': 'bedrock',
  'amazon-bedrock': 'bedrock',
}

/** The name that the registry knows a provider by; unknown names come back in lower case. */
export function canonicalName(name: string): string {
  const lower = name.trim().toLowerCase()
  return Object.hasOwn(aliases, lower) ? (aliases[lower] ?? lower) : lower
}

/** Every other name. */
export const aliasNames: readonly string[] = Object.keys(aliases)
