import type { AgentContext } from '../agent/context.ts'
import type { TurnRequest } from '../agent/turn.ts'
import type { CronJob } from './job.ts'

/** The model of a run: the job's own, else the configured one, else the one that `HERMES_MODEL` names. */
export async function jobModel(
  job: CronJob,
  agent: AgentContext,
  signal: AbortSignal,
): Promise<Pick<TurnRequest, 'model' | 'resolvedModel'>> {
  const provider = job.provider === 'auto' ? '' : (job.provider ?? '').trim()
  const model = (job.model ?? '').trim()
  if (job.base_url) return { resolvedModel: await modelAt(job.base_url, { provider, model }, agent, signal) }
  if (provider !== '') return { model: `${provider}:${model}` }
  if (model !== '') return { model }
  const fromEnvironment = agent.environment['HERMES_MODEL']?.trim()
  return agent.config.model.default !== '' || !fromEnvironment ? {} : { model: fromEnvironment }
}

/** A model at an address of the job's own. The configured key stays with the configured address. */
async function modelAt(
  baseUrl: string,
  { provider, model }: { readonly provider: string; readonly model: string },
  { config, environment, home, log }: AgentContext,
  signal: AbortSignal,
) {
  const { createModels } = await import('../models/create-models.ts')
  const isSame = config.model.base_url === baseUrl
  const own = {
    ...config.model,
    provider: provider || 'custom',
    base_url: baseUrl,
    ...(model !== '' && { default: model }),
    ...(!isSame && { api_key: '' }),
  }
  return createModels({ config: { ...config, model: own }, environment, home, log }).resolve(undefined, signal)
}
