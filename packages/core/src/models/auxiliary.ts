import type { Config } from '../config/schema.ts'
import { ModelError } from './model-error.ts'
import type { ResolvedModel } from './model.ts'
import { isLocal } from './net/address.ts'
import { inProcessProviders } from './providers/in-process.ts'
import type { ProviderFacts } from './providers/provider.ts'
import { usableProviders } from './resolution/auto.ts'
import { providerName } from './resolution/choice.ts'
import type { EndpointSources } from './resolution/endpoints.ts'
import type { ModelsConfig } from './resolution/models-config.ts'
import type { Resolver } from './resolution/resolver.ts'
import { seesImages } from './sees-images.ts'

/** A side task that a model does for the agent; each has its settings in `auxiliary.<task>`. */
export type AuxiliaryTask = keyof Config['auxiliary']

/** One way to a model. Throws `ModelError` where it leads nowhere. */
type Step = (signal: AbortSignal) => Promise<ResolvedModel>

export interface AuxiliaryOptions {
  readonly task: AuxiliaryTask
  /** The model of the turn. */
  readonly main: ResolvedModel
  readonly config: Pick<ModelsConfig, 'auxiliary'>
  readonly sources: EndpointSources
  readonly resolver: Pick<Resolver, 'use'>
}

/**
 * The models of a side task, in the order in which they are tried: the one that its settings name, and no other; with
 * `auto` the turn's own provider first, then every other that can be used, if that is on another machine. Empty where none can write.
 */
export async function auxiliaryModels(
  options: AuxiliaryOptions,
  signal: AbortSignal,
): Promise<readonly ResolvedModel[]> {
  const models: ResolvedModel[] = []
  const steps = await auxiliarySteps(options)
  for (const step of steps) {
    try {
      const model = await step(signal)
      if (!model.provider.isInterpreter && (await canServe(model, options))) models.push(model)
    } catch (error) {
      // What the person chose is told to be of no use; what we thought of is left out.
      if (!(error instanceof ModelError) || steps.length === 1) throw error
    }
  }
  return models
}

/** Whether a model can do the task; of one that a person chose that is not asked. */
async function canServe(model: ResolvedModel, { task, config }: AuxiliaryOptions): Promise<boolean> {
  if (task !== 'vision') return true
  const { base_url: baseUrl, provider, model: named } = config.auxiliary[task]
  const isChosen = baseUrl !== '' || named !== '' || providerName(provider || 'auto') !== 'auto'
  return isChosen || seesImages(model)
}

async function auxiliarySteps(options: AuxiliaryOptions): Promise<readonly Step[]> {
  const { task, main, config, sources, resolver } = options
  const { base_url: baseUrl, api_key: key, model, provider: named } = config.auxiliary[task]
  const apiKey = key || undefined
  if (baseUrl !== '') {
    const choice = { ...plain, provider: 'custom', model: model || main.model, baseUrl, apiKey }
    return [(signal) => resolver.use(choice, signal)]
  }
  const provider = providerName(named || 'auto')
  if (provider === 'main') return [mainStep(main, model)]
  if (provider === 'auto') return [...ownSteps(options, model), ...(await otherSteps(options))]
  const choice = { ...plain, provider, model: model || sideModel(sources.providers.get(provider), task), apiKey }
  return [(signal) => resolver.use(choice, signal)]
}

const plain = { model: undefined, baseUrl: undefined, apiKey: undefined, apiMode: undefined }

/** The turn's own provider: with its cheap model where it serves many makers', else with the turn's model. */
function ownSteps({ task, main, sources }: AuxiliaryOptions, model: string): readonly Step[] {
  if (model !== '') return [mainStep(main, model)]
  const facts = sources.providers.get(main.provider.name)
  const side = task === 'vision' ? facts?.visionModel : facts?.isAggregator ? facts.sideModel : undefined
  return side === undefined ? [mainStep(main, '')] : [mainStep(main, side), mainStep(main, '')]
}

function mainStep(main: ResolvedModel, model: string): Step {
  return async (signal) => {
    const found = model === '' ? main : await main.sibling?.(model, signal)
    return { ...(found ?? main), fallback: undefined }
  }
}

/**
 * Every other provider that has a key or a sign-in. None where the turn's model runs on this machine and can do the task
 * itself: a conversation that stays here does not leave because something failed once.
 */
async function otherSteps({ task, main, sources, resolver }: AuxiliaryOptions): Promise<readonly Step[]> {
  if (task !== 'vision' && isHere(main)) return []
  const usable = await usableProviders(sources)
  return usable.flatMap((provider): readonly Step[] => {
    const model = sideModel(sources.providers.get(provider), task)
    if (provider === main.provider.name || model === undefined) return []
    return [(signal) => resolver.use({ ...plain, provider, model }, signal)]
  })
}

/** Whether a model runs on this machine: in the process, or at an address of it. */
function isHere({ baseUrl, provider }: ResolvedModel): boolean {
  const url = baseUrl === undefined ? undefined : URL.parse(baseUrl)
  return url ? isLocal(url.hostname) : inProcessProviders.has(provider.name) && !provider.isInterpreter
}

function sideModel(facts: ProviderFacts | undefined, task: AuxiliaryTask): string | undefined {
  return (task === 'vision' ? facts?.visionModel : undefined) ?? facts?.sideModel ?? facts?.defaultModel
}
