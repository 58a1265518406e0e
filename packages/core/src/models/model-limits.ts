// Context windows and output limits by family, for models whose server does not tell and that no table of the catalogue
// names: as upstream v0.9.0 has them where it names the family, else from the catalogue, which `model-limits.test.ts`
// holds them to. `model.context_length` in the configuration overrules them.

/** The window of a model that nobody knows anything about. */
export const unknownContextLength = 128_000

/** The most specific part of a name that matches counts; a dash stands for a dot as well. */
const contextLengths: Readonly<Record<string, number>> = {
  claude: 1_000_000,
  'claude-2': 200_000,
  'claude-3': 200_000,
  'claude-haiku-4': 200_000,
  'claude-sonnet-4': 200_000,
  'claude-sonnet-4-6': 1_000_000,
  'claude-opus-4': 200_000,
  'claude-opus-4-6': 1_000_000,
  'claude-opus-4-7': 1_000_000,
  'claude-opus-4-8': 1_000_000,
  'gpt-6': 1_050_000,
  'gpt-5': 400_000,
  'gpt-5-3-codex-spark': 128_000,
  'gpt-5-4': 1_050_000,
  'gpt-5-4-mini': 400_000,
  'gpt-5-4-nano': 400_000,
  'gpt-5-5': 1_050_000,
  'gpt-5-6': 1_050_000,
  'gpt-4-1': 1_047_576,
  'gpt-4o': 128_000,
  'gpt-4': 128_000,
  'gpt-3-5': 16_385,
  'gpt-oss': 131_072,
  o1: 200_000,
  o3: 200_000,
  'o4-mini': 200_000,
  gemini: 1_048_576,
  'gemma-3': 131_072,
  'gemma-4': 262_144,
  deepseek: 128_000,
  'deepseek-v4': 1_000_000,
  'deepseek-flash': 1_000_000,
  llama: 131_072,
  qwen: 131_072,
  'qwen-max': 30_720,
  'qwen-plus': 129_024,
  'qwen3-coder': 262_144,
  'qwen3.5': 262_144,
  'qwen3.6': 262_144,
  'qwen3.7': 991_808,
  'qwen3.8': 991_808,
  kimi: 262_144,
  'kimi-k3': 1_048_576,
  minimax: 204_800,
  'minimax-m3': 1_000_000,
  glm: 202_752,
  'glm-5-turbo': 200_000,
  'glm-5-2': 1_000_000,
  'glm-5-3': 1_000_000,
  grok: 131_072,
  'grok-4': 256_000,
  'grok-4-fast': 2_000_000,
  'grok-4-20': 2_000_000,
  'grok-4-3': 1_000_000,
  'grok-4-5': 500_000,
  'grok-4-6': 500_000,
  'grok-4-7': 500_000,
  mistral: 131_072,
  'mistral-small': 128_000,
  'mistral-large-4': 1_048_576,
  devstral: 256_000,
  mimo: 262_144,
  'mimo-v2-6': 1_048_576,
}

/** Output limits of models that are reached by Anthropic's Messages API, which wants one named. */
const outputLimits: Readonly<Record<string, number>> = {
  claude: 128_000,
  'claude-haiku-4': 64_000,
  'claude-sonnet-4': 64_000,
  'claude-sonnet-4-6': 128_000,
  'claude-opus-4': 32_000,
  'claude-opus-4-5': 64_000,
  'claude-opus-4-6': 128_000,
  'claude-opus-4-7': 128_000,
  'claude-opus-4-8': 128_000,
  'claude-3-7': 64_000,
  'claude-3-5': 8192,
  'claude-3': 4096,
  minimax: 131_072,
}

/** The context window of a model's family, tokens. */
export function familyContextLength(model: string): number {
  return longestMatch(contextLengths, model) ?? unknownContextLength
}

/** The most tokens that a model of this family answers with, where it must be told. */
export function familyOutputLimit(model: string): number | undefined {
  return longestMatch(outputLimits, model)
}

function longestMatch(table: Readonly<Record<string, number>>, model: string): number | undefined {
  const name = model.toLowerCase()
  const dashed = name.replaceAll('.', '-')
  const [best] = Object.keys(table)
    .filter((part) => isPart(name, part) || isPart(dashed, part))
    .sort((a, b) => b.length - a.length)
  return best === undefined ? undefined : table[best]
}

/** Whether a name has the part at its beginning or after a separator, so that `o1` is no part of `pro1`. */
function isPart(name: string, part: string): boolean {
  for (let at = name.indexOf(part); at >= 0; at = name.indexOf(part, at + 1)) {
    if (at === 0 || /[^a-z0-9]/.test(name[at - 1] ?? '')) return true
  }
  return false
}
