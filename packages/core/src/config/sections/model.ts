import { z } from 'zod'
import { shortForms } from '../short-forms.ts'
import { choice, flag, freeMap, listOf, mapOf, optionalWhole, section, text, textList, whole } from '../values.ts'

const endpoint = z.looseObject({
  name: z.string().optional().describe('What people call it.'),
  base_url: z.string().optional().describe('Where it is; `api` and `url` name it too.'),
  api_key: z.string().optional().describe('Its key; better named by key_env.'),
  key_env: z.string().optional().describe('Environment variable that holds its key.'),
  default_model: z.string().optional().describe('Model to use; `model` names it too.'),
})

const fallback = z.looseObject({
  provider: z.string().describe('Provider to try.'),
  model: z.string().describe('Model of that provider.'),
})

/** Which model answers, and where it is. */
export const modelSettings = {
  model: section(
    {
      default: text().describe('Model that answers, e.g. anthropic/claude-sonnet-4; the provider chooses when empty.'),
      provider: text('auto').describe('Provider that serves it: auto, openrouter, anthropic, nous, custom …'),
      base_url: text().describe('URL of an OpenAI-compatible endpoint.'),
      api_key: text().describe('Key for base_url; better kept in .env.'),
      api_mode: choice(['', 'chat_completions', 'codex_responses', 'anthropic_messages'], '').describe(
        'Wire format of the endpoint; found by itself when empty.',
      ),
      context_length: optionalWhole({ min: 1 }).describe("Context window in tokens, in place of the model's own."),
      max_tokens: optionalWhole({ min: 1 }).describe('Most tokens of one answer.'),
      ollama_num_ctx: optionalWhole({ min: 1 }).describe('Context window that Ollama is asked for.'),
    },
    shortForms['model'],
  ).describe('The model that answers.'),
  providers: mapOf(endpoint).describe('Your own endpoints by name: {base_url, key_env, default_model, models …}.'),
  custom_providers: listOf(endpoint).describe('Older form of providers: a list of {name, base_url, api_key, model}.'),
  fallback_providers: listOf(fallback).describe(
    'Tried in order when the model fails: a list of {provider, model, base_url, key_env}.',
  ),
  fallback_model: z
    .preprocess((value) => value ?? undefined, fallback.optional())
    .describe('Older form of fallback_providers: one {provider, model}.'),
  credential_pool_strategies: mapOf(
    choice(['fill_first', 'round_robin', 'random', 'least_used'], 'fill_first', {
      'fill-first': 'fill_first',
      'round-robin': 'round_robin',
      'least-used': 'least_used',
    }),
  ).describe('How the keys of a provider are rotated, by provider: fill_first, round_robin, random, least_used.'),
  provider_routing: section({
    sort: choice(['', 'price', 'throughput', 'latency'], '').describe('What OpenRouter sorts providers by.'),
    only: textList().describe('Providers that may serve; all when empty.'),
    ignore: textList().describe('Providers that may not serve.'),
    order: textList().describe('Providers in the order to try.'),
    require_parameters: flag(false).describe('Only providers that know every parameter sent.'),
    data_collection: choice(['', 'allow', 'deny'], '').describe('Whether providers may keep what is sent.'),
  }).describe('How OpenRouter picks a provider.'),
  model_aliases: freeMap().describe('Short names for /model: name to {model, provider, base_url}.'),
  smart_model_routing: section({
    enabled: flag(false).describe('Send short, simple messages to a cheaper model.'),
    max_simple_chars: whole(160, { min: 0 }).describe('Longest simple message, characters.'),
    max_simple_words: whole(28, { min: 0 }).describe('Longest simple message, words.'),
    cheap_model: freeMap().describe('The cheaper model: {provider, model, base_url, api_key_env}.'),
  }).describe('A cheaper model for simple messages.'),
  delegation: section({
    model: text().describe("Model of sub-agents; the parent's when empty."),
    provider: text().describe("Provider of sub-agents; the parent's when empty."),
    base_url: text().describe('Endpoint of sub-agents.'),
    api_key: text().describe('Key of that endpoint.'),
    reasoning_effort: text().describe("Reasoning effort of sub-agents; the parent's when empty."),
    max_iterations: whole(45, { min: 1 }).describe('Most model calls of one sub-agent.'),
    max_concurrent_children: whole(3, { min: 1 }).describe('Most sub-agents at once.'),
    default_toolsets: textList(['terminal', 'file', 'web']).describe('Toolsets of sub-agents.'),
  }).describe('Sub-agents.'),
}
