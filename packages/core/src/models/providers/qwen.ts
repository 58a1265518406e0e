import { hostedDialect } from './hosted.ts'
import type { ProviderFacts } from './provider.ts'

const outputLimit = 65_536

/** What comes with a Qwen account. */
export const qwen: ProviderFacts = {
  name: 'qwen-oauth',
  label: 'Qwen (sign-in)',
  keys: [],
  needsKey: true,
  signsIn: true,
  baseUrlVariable: 'HERMES_QWEN_BASE_URL',
  baseUrl: 'https://portal.qwen.ai/v1',
  defaultModel: 'coder-model',
  visionModel: 'vision-model',
  maxOutputTokens: () => outputLimit,
  speaks: {
    chat: {
      ...hostedDialect,
      headers: () => ({ 'x-dashscope-cachecontrol': 'enable', 'x-dashscope-authtype': 'qwen-oauth' }),
      cacheMarks: () => true,
    },
  },
}
