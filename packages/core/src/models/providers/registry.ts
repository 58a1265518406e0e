import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { aiGateway } from './ai-gateway.ts'
import { alibaba } from './alibaba.ts'
import { anthropic } from './anthropic.ts'
import { arcee } from './arcee.ts'
import { bedrock } from './bedrock.ts'
import { copilotAcp } from './copilot-acp.ts'
import { copilot } from './copilot.ts'
import { deepSeek } from './deepseek.ts'
import { gemini } from './gemini.ts'
import { huggingFace } from './huggingface.ts'
import { kiloCode } from './kilocode.ts'
import { kimi, kimiChina } from './kimi.ts'
import { custom, llamaCpp, lmStudio, ollama, vllm } from './local.ts'
import { miniMax, miniMaxChina } from './minimax.ts'
import { mistral } from './mistral.ts'
import { nous } from './nous.ts'
import { ollamaCloud } from './ollama-cloud.ts'
import { openAi } from './openai.ts'
import { openAiCodex } from './openai-codex.ts'
import { openCodeGo, openCodeZen } from './opencode.ts'
import { openRouter } from './openrouter.ts'
import type { ProviderFacts, ProviderRouting } from './provider.ts'
import { qwen } from './qwen.ts'
import { xai } from './xai.ts'
import { xiaomi } from './xiaomi.ts'
import { zai } from './zai.ts'

/** What some providers are set up by. */
export interface ProviderSettings {
  readonly routing?: ProviderRouting
  readonly ollamaNumCtx?: number | undefined
  readonly environment?: Environment
  /** For a provider that is a program of this machine: whose files it may not touch, and where it works. */
  readonly home?: Home | undefined
  readonly cwd?: string | undefined
}

/**
 * Every provider that can be called, by name. The order is that in which `auto` looks for one that can be used. They are
 * facts; the code that speaks to them is loaded when it is needed.
 */
export function knownProviders(settings: ProviderSettings = {}): ReadonlyMap<string, ProviderFacts> {
  const { routing, ollamaNumCtx, environment = {}, home, cwd } = settings
  const all = [
    openRouter(routing),
    nous,
    openAiCodex,
    anthropic,
    openAi,
    gemini,
    zai,
    kimi,
    kimiChina,
    arcee,
    miniMax,
    miniMaxChina,
    alibaba,
    deepSeek,
    mistral,
    xai,
    aiGateway,
    openCodeZen,
    openCodeGo,
    kiloCode,
    huggingFace,
    xiaomi,
    qwen,
    copilot,
    copilotAcp({ environment, home, cwd }),
    bedrock(environment),
    ollamaCloud,
    ollama(ollamaNumCtx),
    lmStudio,
    llamaCpp,
    vllm,
    custom,
  ]
  return new Map(all.map((facts) => [facts.name, facts]))
}
