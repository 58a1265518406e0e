import type { AgentContext } from '../../agent/context.ts'
import { type ConfigEdit, editConfig } from '../../config/edit.ts'
import { ModelError } from '../model-error.ts'
import type { ResolvedModel } from '../model.ts'

/**
 * Makes it the configured model. What the configuration says of another provider (its address, key and wire) or another
 * model (its window) is taken out. Throws `ConfigError`.
 */
export async function configureModel(
  resolved: ResolvedModel,
  agent: Pick<AgentContext, 'home' | 'environment' | 'models'>,
  signal: AbortSignal,
): Promise<void> {
  const { home, environment } = agent
  const before = await configured(agent, signal)
  const { name } = resolved.provider
  await editConfig({ home, environment, signal }, ({ model: section }) => {
    const remove = (...keys: readonly string[]): ConfigEdit[] =>
      keys.filter((key) => hasKey(section, key)).map((key) => ({ path: ['model', key], value: undefined }))
    return [
      { path: ['model', 'default'], value: resolved.model },
      { path: ['model', 'provider'], value: name },
      ...(before?.provider.name === name ? [] : remove('base_url', 'api_key', 'api_mode')),
      ...(before?.model === resolved.model ? [] : remove('context_length')),
      ...(name === 'custom' && resolved.baseUrl !== undefined
        ? [{ path: ['model', 'base_url'], value: resolved.baseUrl }]
        : []),
    ]
  })
}

function hasKey(section: unknown, key: string): boolean {
  return typeof section === 'object' && section !== null && Object.hasOwn(section, key)
}

async function configured(
  { models }: Pick<AgentContext, 'models'>,
  signal: AbortSignal,
): Promise<ResolvedModel | undefined> {
  try {
    return await models.resolve(undefined, signal)
  } catch (error) {
    if (error instanceof ModelError) return undefined
    throw error
  }
}
