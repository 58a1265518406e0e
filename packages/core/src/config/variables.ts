import { bindings } from './bindings.ts'
import { platformSecrets, platformVariables } from './platform-variables.ts'

/** What a variable is for; `secret` ones are never shown. */
export interface Variable {
  readonly name: string
  readonly purpose: string
  readonly secret: boolean
}

type Purposes = Readonly<Record<string, string>>

/** Keys of model providers and of services that tools use. `config check` shows which are there. */
export const serviceKeys: Purposes = {
  OPENROUTER_API_KEY: 'OpenRouter: many models with one key',
  OPENAI_API_KEY: 'OpenAI, or a custom endpoint',
  ANTHROPIC_API_KEY: 'Anthropic',
  ANTHROPIC_TOKEN: 'Anthropic, by OAuth or setup token',
  CLAUDE_CODE_OAUTH_TOKEN: 'Anthropic, by Claude Code',
  GOOGLE_API_KEY: 'Google Gemini',
  GEMINI_API_KEY: 'Google Gemini',
  DEEPSEEK_API_KEY: 'DeepSeek',
  XAI_API_KEY: 'xAI',
  GLM_API_KEY: 'Z.AI',
  ZAI_API_KEY: 'Z.AI',
  Z_AI_API_KEY: 'Z.AI',
  KIMI_API_KEY: 'Kimi',
  KIMI_CN_API_KEY: 'Kimi, China',
  ARCEEAI_API_KEY: 'Arcee',
  MINIMAX_API_KEY: 'MiniMax',
  MINIMAX_CN_API_KEY: 'MiniMax, China',
  DASHSCOPE_API_KEY: 'Alibaba DashScope',
  AI_GATEWAY_API_KEY: 'Vercel AI Gateway',
  OPENCODE_ZEN_API_KEY: 'OpenCode Zen',
  OPENCODE_GO_API_KEY: 'OpenCode Go',
  KILOCODE_API_KEY: 'Kilo Code',
  HF_TOKEN: 'Hugging Face',
  XIAOMI_API_KEY: 'Xiaomi MiMo',
  OLLAMA_API_KEY: 'Ollama Cloud',
  CUSTOM_API_KEY: 'A custom endpoint',
  MISTRAL_API_KEY: 'Mistral',
  GROQ_API_KEY: 'Groq speech recognition',
  COPILOT_GITHUB_TOKEN: 'GitHub Copilot',
  GITHUB_TOKEN: 'GitHub',
  GH_TOKEN: 'GitHub',
  EXA_API_KEY: 'Exa search',
  PARALLEL_API_KEY: 'Parallel search',
  FIRECRAWL_API_KEY: 'Firecrawl',
  TAVILY_API_KEY: 'Tavily search',
  BRAVE_SEARCH_API_KEY: 'Brave search',
  BRAVE_API_KEY: 'Brave search',
  BROWSERBASE_API_KEY: 'Browserbase',
  BROWSER_USE_API_KEY: 'Browser Use',
  FAL_KEY: 'fal image generation',
  VOICE_TOOLS_OPENAI_KEY: 'OpenAI speech',
  ELEVENLABS_API_KEY: 'ElevenLabs speech',
  TINKER_API_KEY: 'Tinker training',
  WANDB_API_KEY: 'Weights & Biases',
  MODAL_TOKEN_ID: 'Modal',
  MODAL_TOKEN_SECRET: 'Modal',
  DAYTONA_API_KEY: 'Daytona',
  HASS_TOKEN: 'Home Assistant',
  HONCHO_API_KEY: 'Honcho memory',
  MEM0_API_KEY: 'Mem0 memory',
  HINDSIGHT_API_KEY: 'Hindsight memory',
  HINDSIGHT_LLM_API_KEY: 'Hindsight memory, its model',
  OPENVIKING_API_KEY: 'OpenViking memory',
  RETAINDB_API_KEY: 'RetainDB memory',
  BRV_API_KEY: 'ByteRover memory',
  SUPERMEMORY_API_KEY: 'Supermemory memory',
  TOOL_GATEWAY_USER_TOKEN: 'The managed tool gateway',
}

/** Secrets of other kinds. */
export const otherSecrets: Purposes = {
  HERMES_METRICS_TOKEN: 'Readers of metrics',
  OTEL_EXPORTER_OTLP_HEADERS: 'Collector of traces',
  SUDO_PASSWORD: 'sudo',
}

/** Variables that are no secrets. */
const others: Purposes = {
  OPENROUTER_BASE_URL: 'OpenRouter endpoint',
  OPENAI_BASE_URL: 'OpenAI-compatible endpoint',
  NOUS_INFERENCE_BASE_URL: 'Nous endpoint',
  OLLAMA_BASE_URL: 'Ollama endpoint',
  GEMINI_BASE_URL: 'Gemini endpoint',
  GLM_BASE_URL: 'Z.AI endpoint',
  KIMI_BASE_URL: 'Kimi endpoint',
  ARCEE_BASE_URL: 'Arcee endpoint',
  MINIMAX_BASE_URL: 'MiniMax endpoint',
  MINIMAX_CN_BASE_URL: 'MiniMax endpoint, China',
  DASHSCOPE_BASE_URL: 'Alibaba endpoint',
  DEEPSEEK_BASE_URL: 'DeepSeek endpoint',
  XAI_BASE_URL: 'xAI endpoint',
  AI_GATEWAY_BASE_URL: 'AI Gateway endpoint',
  OPENCODE_ZEN_BASE_URL: 'OpenCode Zen endpoint',
  OPENCODE_GO_BASE_URL: 'OpenCode Go endpoint',
  KILOCODE_BASE_URL: 'Kilo Code endpoint',
  HF_BASE_URL: 'Hugging Face endpoint',
  XIAOMI_BASE_URL: 'Xiaomi endpoint',
  GROQ_BASE_URL: 'Groq endpoint',
  FIRECRAWL_API_URL: 'Firecrawl endpoint',
  EXA_API_URL: 'Exa endpoint',
  PARALLEL_API_URL: 'Parallel endpoint',
  PARALLEL_SEARCH_MODE: 'How thoroughly Parallel searches',
  TAVILY_API_URL: 'Tavily endpoint',
  BRAVE_SEARCH_API_URL: 'Brave search endpoint',
  SEARXNG_URL: 'SearXNG, a search server of your own',
  DUCKDUCKGO_URL: 'DuckDuckGo endpoint',
  FIRECRAWL_GATEWAY_URL: 'Firecrawl of the managed tool gateway',
  TOOL_GATEWAY_DOMAIN: 'Domain of the managed tool gateway',
  TOOL_GATEWAY_SCHEME: 'Scheme of the managed tool gateway',
  BROWSERBASE_PROJECT_ID: 'Browserbase project',
  BROWSER_CDP_URL: 'A browser that is already running',
  CAMOFOX_URL: 'Camofox endpoint',
  FAL_QUEUE_URL: 'fal endpoint',
  EDGE_TTS_URL: 'Edge speech endpoint',
  ELEVENLABS_BASE_URL: 'ElevenLabs endpoint',
  MISTRAL_BASE_URL: 'Mistral endpoint',
  HERMES_LOCAL_TTS_COMMAND: 'Command that speaks: {text_path} {output_path}',
  HERMES_LOCAL_STT_COMMAND: 'Command that recognises speech: {input_path} {output_dir} {language} {model}',
  HERMES_LOCAL_STT_LANGUAGE: 'Language of recognised speech',
  HASS_URL: 'Home Assistant address',
  HONCHO_BASE_URL: 'Honcho address',
  HONCHO_ENVIRONMENT: 'Honcho environment',
  HONCHO_TIMEOUT: 'Honcho time limit',
  OPENVIKING_ENDPOINT: 'OpenViking address',
  OPENVIKING_ACCOUNT: 'OpenViking account',
  OPENVIKING_USER: 'OpenViking user',
  RETAINDB_BASE_URL: 'RetainDB address',
  RETAINDB_PROJECT: 'RetainDB project',
  HINDSIGHT_API_URL: 'Hindsight address',
  HINDSIGHT_MODE: 'Hindsight mode',
  HERMES_MODEL: 'Model of scheduled jobs',
  HERMES_CRON_TIMEOUT: 'Seconds in which a scheduled job must do something',
  HERMES_METRICS_PORT: 'Let Prometheus read metrics, at this port',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'Collector of traces',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'The same, with its path',
  OTEL_SERVICE_NAME: 'Name of the program in traces',
  MESSAGING_CWD: 'Working directory of chats',
}

/** Every variable that has a meaning to Hermes, sorted by name. */
export function knownVariables(): readonly Variable[] {
  const known = new Map<string, Variable>()
  const add = (purposes: Purposes, secret: boolean) => {
    for (const [name, purpose] of Object.entries(purposes)) known.set(name, { name, purpose, secret })
  }
  for (const { variable, path } of bindings) {
    known.set(variable, { name: variable, purpose: `Sets ${path.join('.')}`, secret: variable.endsWith('_API_KEY') })
  }
  add(others, false)
  add(platformVariables, false)
  add(serviceKeys, true)
  add(platformSecrets, true)
  add(otherSecrets, true)
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
