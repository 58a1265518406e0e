/** How a model of a provider is referred to without doubt: `openai:gpt-5`; without a model, the provider's usual one. */
export function modelReference(provider: string, model = ''): string {
  return `${provider}:${model}`
}

/** The same where a person named the provider by itself: nothing else can be meant by it, also when there is none of it. */
export function certainReference(provider: string, model: string): string {
  return `${provider}::${model}`
}
