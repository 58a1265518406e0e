import { keyDialect } from './anthropic/dialect.ts'
import type { MessagesDialect } from './anthropic/dialect.ts'
import type { ConverseDialect } from './bedrock/dialect.ts'
import type { AcpDialect } from './copilot-acp/dialect.ts'
import type { ModelProvider } from './model.ts'
import { plainDialect } from './openai-compatible/dialect.ts'
import type { Dialect } from './openai-compatible/dialect.ts'
import type { ProviderFacts } from './providers/provider.ts'
import { ownDialect } from './responses/dialect.ts'
import type { ResponsesDialect } from './responses/dialect.ts'
import type { WireProviderOptions } from './wire/wire-provider.ts'

/** The wires, and how one place's differ from the others'. */
export interface Dialects {
  readonly chat?: Dialect
  readonly messages?: MessagesDialect
  readonly responses?: ResponsesDialect
  readonly converse?: ConverseDialect
  readonly acp?: AcpDialect
}

export type WireName = keyof Dialects

/** How a place is spoken to: over which wire, and in which dialect of it. */
export type Speech =
  | { readonly wire: 'chat'; readonly dialect: Dialect }
  | { readonly wire: 'messages'; readonly dialect: MessagesDialect }
  /** `orChat`: where the server has no responses, it is spoken to by chat completions. */
  | { readonly wire: 'responses'; readonly dialect: ResponsesDialect; readonly orChat?: Dialect }
  | { readonly wire: 'converse'; readonly dialect: ConverseDialect }
  /** A program of this machine, over its standard input and output. */
  | { readonly wire: 'acp'; readonly dialect: AcpDialect }

/** What `api_mode` of the configuration calls the wires. */
const apiModes: ReadonlyMap<string, WireName> = new Map([
  ['chat_completions', 'chat'],
  ['codex_responses', 'responses'],
  ['anthropic_messages', 'messages'],
])

/** How a provider at an address is spoken to for a model: as the person says, else as the address and the provider say. */
export function speechOf(facts: ProviderFacts, baseUrl: string, model: string, apiMode: string | undefined): Speech {
  const { speaks, wireFor, mayHaveChatOnly } = facts
  const chosen = apiModes.get(apiMode ?? '')
  // The object has at least one key, of these alone.
  const [first] = Object.keys(speaks) as WireName[]
  const found = baseUrl.endsWith('/anthropic') ? 'messages' : wireFor?.(model, baseUrl)
  // No setting makes HTTP of a program.
  const wire = speaks.acp ? 'acp' : (chosen ?? found ?? first ?? 'chat')
  switch (wire) {
    case 'messages':
      return { wire, dialect: speaks.messages ?? keyDialect }
    case 'responses': {
      const orChat = chosen === undefined && mayHaveChatOnly ? { orChat: speaks.chat ?? plainDialect } : {}
      return { wire, dialect: speaks.responses ?? ownDialect, ...orChat }
    }
    case 'converse':
      if (speaks.converse) return { wire, dialect: speaks.converse }
      throw new Error(`${facts.name} says that it has a wire that it does not have.`)
    case 'acp':
      if (speaks.acp) return { wire, dialect: speaks.acp }
      throw new Error(`${facts.name} says that it has a wire that it does not have.`)
    case 'chat':
      return { wire, dialect: speaks.chat ?? plainDialect }
  }
}

/** A provider that speaks so. Only its own wire's code is loaded. */
export async function openProvider(speech: Speech, options: WireProviderOptions): Promise<ModelProvider> {
  switch (speech.wire) {
    case 'chat':
      return openChat(speech.dialect, options)
    case 'messages': {
      const { createAnthropic } = await import('./anthropic/index.ts')
      return createAnthropic({ dialect: speech.dialect, ...options })
    }
    case 'responses': {
      const { createResponses } = await import('./responses/index.ts')
      const responses = createResponses({ dialect: speech.dialect, ...options })
      if (!speech.orChat) return responses
      const { firstThatIsThere } = await import('./wire/first-that-is-there.ts')
      return firstThatIsThere(responses, await openChat(speech.orChat, options))
    }
    case 'converse': {
      const { createBedrock } = await import('./bedrock/index.ts')
      return createBedrock({ dialect: speech.dialect, ...options })
    }
    case 'acp': {
      const { createCopilotAcp } = await import('./copilot-acp/index.ts')
      return createCopilotAcp({ dialect: speech.dialect, place: options.place })
    }
  }
}

async function openChat(dialect: Dialect, options: WireProviderOptions): Promise<ModelProvider> {
  const { createOpenAiCompatible } = await import('./openai-compatible/index.ts')
  return createOpenAiCompatible({ dialect, ...options })
}
