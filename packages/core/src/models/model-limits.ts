// Context windows and output limits by family, for models whose server does not tell: as upstream v0.9.0 (2026-04-13)
// has them where it names the family, else from the maker's model page. `model.context_length` in the configuration
// overrules it.

/** The window of a model that nobody knows anything about. */
export const unknownContextLength = 128_000

/** The most specific part of a name that matches counts. */
const contextLengths: Readonly<Record<string, number>> = {
  claude: 200_000,
  'claude-opus-4.6': 1_000_000,
  'claude-opus-4-6': 1_000_000,
  'claude-sonnet-4.6': 1_000_000,
  'claude-sonnet-4-6': 1_000_000,
  'gpt-5': 400_000,
  'gpt-5.4': 1_050_000,
  'gpt-4.1': 1_047_576,
  'gpt-4o': 128_000,
  'gpt-4': 128_000,
  'gpt-3.5': 16_385,
  'gpt-oss': 131_072,
  o1: 200_000,
  o3: 200_000,
  'o4-mini': 200_000,
  gemini: 1_048_576,
  'gemma-3': 131_072,
  deepseek: 128_000,
  llama: 131_072,
  qwen: 131_072,
  'qwen3-coder': 262_144,
  kimi: 262_144,
  minimax: 204_800,
  glm: 202_752,
  grok: 131_072,
  'grok-4': 256_000,
  'grok-4-fast': 2_000_000,
  'grok-4.20': 2_000_000,
  mistral: 131_072,
  mimo: 262_144,
}

/** Output limits of models that are reached by Anthropic's Messages API, which wants one named. */
const outputLimits: Readonly<Record<string, number>> = {
  claude: 64_000,
  'claude-opus-4.6': 128_000,
  'claude-opus-4-6': 128_000,
  'claude-opus-4': 32_000,
  'claude-opus-4.5': 64_000,
  'claude-opus-4-5': 64_000,
  'claude-3.7': 64_000,
  'claude-3-7': 64_000,
  'claude-3.5': 8192,
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
  const [best] = Object.keys(table)
    .filter((part) => isPart(name, part))
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
