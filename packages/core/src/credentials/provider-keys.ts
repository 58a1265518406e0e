import { canonicalName } from '../models/providers/aliases.ts'

/** An environment variable that may hold a provider's key. */
export interface KeyVariable {
  readonly name: string
  /** Only a value that begins so is this provider's. */
  readonly prefix?: string
  /** Only for an endpoint on this host or below it. */
  readonly host?: string
}

/** Where the keys of one provider come from, and where they are sent. */
export interface ProviderKeys {
  /** What people call it. */
  readonly title: string
  /** In the order in which they are used. */
  readonly keys: readonly KeyVariable[]
  /** Overrides the base URL. */
  readonly baseUrlVariable?: string
  readonly baseUrl?: string
  /** Keys that begin so belong to another endpoint. */
  readonly baseUrlByPrefix?: Readonly<Record<string, string>>
}

const variables = (...names: readonly string[]): readonly KeyVariable[] => names.map((name) => ({ name }))

/** Every provider that takes a key or a sign-in, by its id in `config.yaml` and `auth.json`. */
export const providerKeys: Readonly<Record<string, ProviderKeys>> = {
  openrouter: {
    title: 'OpenRouter',
    // A key of OpenRouter is often put where programs look for one of OpenAI; one of OpenAI's own is of no use here.
    keys: [{ name: 'OPENROUTER_API_KEY' }, { name: 'OPENAI_API_KEY', prefix: 'sk-or-' }],
    baseUrlVariable: 'OPENROUTER_BASE_URL',
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  custom: {
    title: 'Custom endpoint',
    // A key goes to an endpoint of the person's own choice only where it was meant for any.
    keys: [
      { name: 'OLLAMA_API_KEY', host: 'ollama.com' },
      { name: 'OPENROUTER_API_KEY', host: 'openrouter.ai' },
      { name: 'OPENAI_API_KEY' },
      { name: 'CUSTOM_API_KEY' },
    ],
    baseUrlVariable: 'OPENAI_BASE_URL',
  },
  openai: {
    title: 'OpenAI',
    keys: variables('OPENAI_API_KEY'),
    baseUrlVariable: 'OPENAI_BASE_URL',
    baseUrl: 'https://api.openai.com/v1',
  },
  nous: {
    title: 'Nous Portal',
    keys: [],
    baseUrlVariable: 'NOUS_INFERENCE_BASE_URL',
    baseUrl: 'https://inference-api.nousresearch.com/v1',
  },
  'openai-codex': {
    title: 'OpenAI Codex',
    keys: [],
    baseUrlVariable: 'HERMES_CODEX_BASE_URL',
    baseUrl: 'https://chatgpt.com/backend-api/codex',
  },
  'qwen-oauth': {
    title: 'Qwen (sign-in)',
    keys: [],
    baseUrlVariable: 'HERMES_QWEN_BASE_URL',
    baseUrl: 'https://portal.qwen.ai/v1',
  },
  copilot: {
    title: 'GitHub Copilot',
    keys: variables('COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'),
    baseUrlVariable: 'COPILOT_API_BASE_URL',
    baseUrl: 'https://api.githubcopilot.com',
  },
  gemini: {
    title: 'Google Gemini',
    keys: variables('GOOGLE_API_KEY', 'GEMINI_API_KEY'),
    baseUrlVariable: 'GEMINI_BASE_URL',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  },
  zai: {
    title: 'Z.AI',
    keys: variables('GLM_API_KEY', 'ZAI_API_KEY', 'Z_AI_API_KEY'),
    baseUrlVariable: 'GLM_BASE_URL',
    baseUrl: 'https://api.z.ai/api/paas/v4',
  },
  'kimi-coding': {
    title: 'Kimi (Moonshot)',
    keys: variables('KIMI_API_KEY'),
    baseUrlVariable: 'KIMI_BASE_URL',
    baseUrl: 'https://api.moonshot.ai/v1',
    baseUrlByPrefix: { 'sk-kimi-': 'https://api.kimi.com/coding/v1' },
  },
  'kimi-coding-cn': {
    title: 'Kimi (Moonshot), China',
    keys: variables('KIMI_CN_API_KEY'),
    baseUrl: 'https://api.moonshot.cn/v1',
  },
  arcee: {
    title: 'Arcee',
    keys: variables('ARCEEAI_API_KEY'),
    baseUrlVariable: 'ARCEE_BASE_URL',
    baseUrl: 'https://api.arcee.ai/api/v1',
  },
  minimax: {
    title: 'MiniMax',
    keys: variables('MINIMAX_API_KEY'),
    baseUrlVariable: 'MINIMAX_BASE_URL',
    baseUrl: 'https://api.minimax.io/anthropic',
  },
  'minimax-cn': {
    title: 'MiniMax, China',
    keys: variables('MINIMAX_CN_API_KEY'),
    baseUrlVariable: 'MINIMAX_CN_BASE_URL',
    baseUrl: 'https://api.minimaxi.com/anthropic',
  },
  anthropic: {
    title: 'Anthropic',
    keys: variables('ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY'),
    baseUrl: 'https://api.anthropic.com',
  },
  alibaba: {
    title: 'Alibaba DashScope',
    keys: variables('DASHSCOPE_API_KEY'),
    baseUrlVariable: 'DASHSCOPE_BASE_URL',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  },
  deepseek: {
    title: 'DeepSeek',
    keys: variables('DEEPSEEK_API_KEY'),
    baseUrlVariable: 'DEEPSEEK_BASE_URL',
    baseUrl: 'https://api.deepseek.com/v1',
  },
  mistral: {
    title: 'Mistral',
    keys: variables('MISTRAL_API_KEY'),
    baseUrlVariable: 'MISTRAL_BASE_URL',
    baseUrl: 'https://api.mistral.ai/v1',
  },
  xai: {
    title: 'xAI',
    keys: variables('XAI_API_KEY'),
    baseUrlVariable: 'XAI_BASE_URL',
    baseUrl: 'https://api.x.ai/v1',
  },
  // Where these are, their own settings say.
  ollama: { title: 'Ollama', keys: variables('OLLAMA_API_KEY') },
  lmstudio: { title: 'LM Studio', keys: variables('OPENAI_API_KEY') },
  llamacpp: { title: 'llama.cpp', keys: variables('LLAMA_API_KEY', 'OPENAI_API_KEY') },
  vllm: { title: 'vLLM', keys: variables('VLLM_API_KEY', 'OPENAI_API_KEY') },
  'ai-gateway': {
    title: 'Vercel AI Gateway',
    keys: variables('AI_GATEWAY_API_KEY'),
    baseUrlVariable: 'AI_GATEWAY_BASE_URL',
    baseUrl: 'https://ai-gateway.vercel.sh/v1',
  },
  bedrock: {
    title: 'AWS Bedrock',
    keys: variables('AWS_BEARER_TOKEN_BEDROCK'),
  },
  'opencode-zen': {
    title: 'OpenCode Zen',
    keys: variables('OPENCODE_ZEN_API_KEY'),
    baseUrlVariable: 'OPENCODE_ZEN_BASE_URL',
    baseUrl: 'https://opencode.ai/zen/v1',
  },
  'opencode-go': {
    title: 'OpenCode Go',
    keys: variables('OPENCODE_GO_API_KEY'),
    baseUrlVariable: 'OPENCODE_GO_BASE_URL',
    baseUrl: 'https://opencode.ai/zen/go/v1',
  },
  kilocode: {
    title: 'Kilo Code',
    keys: variables('KILOCODE_API_KEY'),
    baseUrlVariable: 'KILOCODE_BASE_URL',
    baseUrl: 'https://api.kilo.ai/api/gateway',
  },
  huggingface: {
    title: 'Hugging Face',
    keys: variables('HF_TOKEN'),
    baseUrlVariable: 'HF_BASE_URL',
    baseUrl: 'https://router.huggingface.co/v1',
  },
  xiaomi: {
    title: 'Xiaomi MiMo',
    keys: variables('XIAOMI_API_KEY'),
    baseUrlVariable: 'XIAOMI_BASE_URL',
    baseUrl: 'https://api.xiaomimimo.com/v1',
  },
}

/** The key of a custom endpoint in the pool: `My Box` is `custom:my-box`. */
export function customKey(name: string): string {
  return `custom:${name.trim().toLowerCase().replaceAll(' ', '-')}`
}

/** The provider id that a name or alias means, in any case; undefined when none does. `custom:…` stands for itself. */
export function providerId(name: string): string | undefined {
  const id = canonicalName(name)
  if (id.startsWith('custom:')) return customKey(id.slice('custom:'.length))
  return Object.hasOwn(providerKeys, id) ? id : undefined
}
