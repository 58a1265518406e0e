/** How a model of a provider is referred to without doubt: `openai:gpt-5`; without a model, the provider's usual one. */
export function modelReference(provider: string, model = ''): string {
  return `${provider}:${model}`
}
