import { ModelError } from '../model-error.ts'
import { similarNames } from '../similar-names.ts'
import { fields, objects, text } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'

/** The name that leaves the choice to Copilot's own settings. */
export const ownChoice = 'auto'

/** A model that a session can be switched to, and the request that does so. */
export interface SessionModel {
  readonly id: string
  readonly name: string
  readonly isCurrent: boolean
  readonly method: string
  readonly params: Fields
}

/**
 * The models that a new session tells: as a setting of the category `model`, or, in programs that are older than that, as
 * a list of its own.
 */
export function modelsOf(session: Fields): readonly SessionModel[] {
  const sessionId = session['sessionId']
  const setting = objects(session['configOptions']).find((option) => option['category'] === 'model')
  if (setting) {
    const choices = objects(setting['options']).flatMap((option) =>
      option['options'] === undefined ? [option] : objects(option['options']),
    )
    return choices.flatMap((choice) => {
      const id = text(choice['value'])
      if (id === undefined) return []
      const params = { sessionId, configId: setting['id'], value: id }
      const isCurrent = setting['currentValue'] === id
      return [{ id, name: text(choice['name']) ?? id, isCurrent, method: 'session/set_config_option', params }]
    })
  }
  const models = fields(session['models'])
  return objects(models?.['availableModels']).flatMap((model) => {
    const id = text(model['modelId'])
    if (id === undefined) return []
    const isCurrent = models?.['currentModelId'] === id
    const params = { sessionId, modelId: id }
    return [{ id, name: text(model['name']) ?? id, isCurrent, method: 'session/set_model', params }]
  })
}

/**
 * The model that is wanted, where the session has to be switched to it; undefined where it has not, or names none. Throws
 * `model-not-found`.
 */
export function modelToSwitchTo(wanted: string, models: readonly SessionModel[]): SessionModel | undefined {
  if (wanted === ownChoice || models.length === 0) return undefined
  const lower = wanted.toLowerCase()
  const found = models.find(({ id, name }) => id.toLowerCase() === lower || name.toLowerCase() === lower)
  if (found) return found.isCurrent ? undefined : found
  const ids = models.map(({ id }) => id)
  const similar = similarNames(wanted, ids)
  const advice =
    similar.length > 0 ? `Did you mean ${similar.join(' or ')}?` : `It has: ${ids.slice(0, 12).join(', ')}.`
  throw new ModelError('model-not-found', `GitHub Copilot has no model ${wanted}. ${advice}`)
}
