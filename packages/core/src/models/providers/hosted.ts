import { plainDialect } from '../openai-compatible/dialect.ts'
import type { Dialect } from '../openai-compatible/dialect.ts'
import type { ProviderFacts } from './provider.ts'

// Hosted services that speak chat completions without anything of their own that we use. Their names, keys and
// addresses are those that existing homes have.

/** They parse reasoning and calls themselves. */
const hostedDialect: Dialect = { ...plainDialect, inlineCalls: false }

const xaiDialect: Dialect = {
  ...hostedDialect,
  headers: ({ sessionId }): Record<string, string> => (sessionId === undefined ? {} : { 'x-grok-conv-id': sessionId }),
}

type Row = readonly [
  name: string,
  label: string,
  keyNames: readonly string[],
  baseUrlName: string | undefined,
  baseUrl: string,
]

const rows: readonly Row[] = [
  ['zai', 'Z.AI', ['GLM_API_KEY', 'ZAI_API_KEY', 'Z_AI_API_KEY'], 'GLM_BASE_URL', 'https://api.z.ai/api/paas/v4'],
  ['kimi-coding', 'Kimi', ['KIMI_API_KEY'], 'KIMI_BASE_URL', 'https://api.moonshot.ai/v1'],
  ['kimi-coding-cn', 'Kimi (China)', ['KIMI_CN_API_KEY'], undefined, 'https://api.moonshot.cn/v1'],
  ['arcee', 'Arcee', ['ARCEEAI_API_KEY'], 'ARCEE_BASE_URL', 'https://api.arcee.ai/api/v1'],
  [
    'alibaba',
    'Alibaba Cloud',
    ['DASHSCOPE_API_KEY'],
    'DASHSCOPE_BASE_URL',
    'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  ],
  ['deepseek', 'DeepSeek', ['DEEPSEEK_API_KEY'], 'DEEPSEEK_BASE_URL', 'https://api.deepseek.com/v1'],
  ['xai', 'xAI', ['XAI_API_KEY'], 'XAI_BASE_URL', 'https://api.x.ai/v1'],
  ['xiaomi', 'Xiaomi MiMo', ['XIAOMI_API_KEY'], 'XIAOMI_BASE_URL', 'https://api.xiaomimimo.com/v1'],
]

/** Services in front of many providers: their model names begin with the provider's. */
const aggregatorRows: readonly Row[] = [
  ['ai-gateway', 'Vercel AI Gateway', ['AI_GATEWAY_API_KEY'], 'AI_GATEWAY_BASE_URL', 'https://ai-gateway.vercel.sh/v1'],
  ['kilocode', 'Kilo Code', ['KILOCODE_API_KEY'], 'KILOCODE_BASE_URL', 'https://api.kilo.ai/api/gateway'],
  ['huggingface', 'Hugging Face', ['HF_TOKEN'], 'HF_BASE_URL', 'https://router.huggingface.co/v1'],
]

export const hosted: readonly ProviderFacts[] = [
  ...rows.map((row) => facts(row, false)),
  ...aggregatorRows.map((row) => facts(row, true)),
]

function facts([name, label, keyNames, baseUrlName, baseUrl]: Row, isAggregator: boolean): ProviderFacts {
  return {
    name,
    label,
    keyNames,
    needsKey: true,
    ...(baseUrlName !== undefined && { baseUrlName }),
    baseUrl,
    isAggregator,
    // A Hugging Face token is mostly there to download models.
    isFoundByKey: name !== 'huggingface',
    dialect: name === 'xai' ? xaiDialect : hostedDialect,
  }
}
