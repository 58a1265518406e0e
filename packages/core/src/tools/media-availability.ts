import type { AgentContext } from '../agent/context.ts'
import { ModelError } from '../models/model-error.ts'
import { seesImages } from '../models/sees-images.ts'
import type { Availability } from './availability.ts'

/** Longest that a turn waits to hear which model looks at images, ms. */
const maxAskMs = 5_000

/** Whether some model looks at images: first the one that answers anyway, since the others must be opened to be asked. */
export const visionAnalyze: Availability = Object.assign(askForVision, { freshMs: 1_000 })

async function askForVision({ models, config }: AgentContext): Promise<true | string> {
  const stop = new AbortController()
  const { signal } = stop
  const timer = setTimeout(() => stop.abort(new DOMException('It took too long to tell.', 'TimeoutError')), maxAskMs)
  try {
    const main = await models.resolve(undefined, signal)
    const { provider, base_url: baseUrl, model } = config.auxiliary.vision
    const isAuto = baseUrl === '' && model === '' && (provider === '' || provider === 'auto')
    if (isAuto && (await seesImages(main))) return true
    const seeing = await models.auxiliary('vision', main, signal)
    return seeing.length > 0 || 'no model that looks at images: set auxiliary.vision.provider and its key'
  } catch (error) {
    if (error instanceof ModelError || signal.aborted) return `no model that looks at images: ${String(error)}`
    throw error
  } finally {
    clearTimeout(timer)
  }
}

export const imageGenerate: Availability = needing('FAL_KEY', 'the key of fal.ai')

export const homeAssistant: Availability = needing('HASS_TOKEN', 'a long-lived access token of Home Assistant')

export const mixtureOfAgents: Availability = needing('OPENROUTER_API_KEY', 'the key of openrouter.ai')

/** There when a variable is set. */
function needing(variable: string, what: string): Availability {
  return ({ environment }) => Boolean(environment[variable]?.trim()) || `${variable} is not set (${what})`
}
