import { certainReference, modelReference } from '@hermes/core/models/model-reference.ts'
import type { ChatOptions } from './chat-options.ts'

/** The model that the flags name; undefined for the configured one. */
export function wantedModel({ model, provider }: ChatOptions): string | undefined {
  if (provider === undefined) return model
  return model === undefined ? modelReference(provider) : certainReference(provider, model)
}
