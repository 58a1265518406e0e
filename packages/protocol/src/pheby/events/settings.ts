import { z } from 'zod'
import { REASONING_CHOICES, REASONING_EFFORTS } from '../constants.ts'
import { requestId, ts, scope, scopeId, time } from './fields.ts'

/** Only what there is a key for. */
export const modelsSnapshot = z
  .object({
    type: z.literal('models.snapshot'),
    request_id: requestId,
    providers: z.array(
      z.object({
        slug: z.string().describe('Goes back as `provider`.'),
        name: z.string().describe('For people.'),
        is_current: z.boolean().describe('True: its model is used.'),
        models: z.array(z.string()).describe('Models to choose from.'),
        total_models: z.int().min(0).describe('How many it has; more than are listed where the list is cut.'),
      }),
    ),
    current_model: z.string().describe('The model that the next run uses.'),
    current_provider: z.string().describe('Its provider.'),
    scope,
    conversation_id: scopeId,
    supported_reasoning_efforts: z.array(z.enum(REASONING_EFFORTS)).describe('Levels that `reasoning.set` takes.'),
    ts,
  })
  .meta({
    description: 'Answer to `models.list`.',
    examples: [
      {
        type: 'models.snapshot',
        request_id: 'r10',
        providers: [
          {
            slug: 'openrouter',
            name: 'OpenRouter',
            is_current: true,
            models: ['z-ai/glm-5.3-flash', 'anthropic/claude-sonnet-4'],
            total_models: 42,
          },
        ],
        current_model: 'z-ai/glm-5.3-flash',
        current_provider: 'openrouter',
        scope: 'conversation',
        conversation_id: 'a1b2',
        supported_reasoning_efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
        ts: time,
      },
    ],
  })

const model = z.string().describe('Name of the model.')

const provider = z.string().describe('Its provider.')

/** What the next run uses. */
export const modelCurrent = z
  .object({
    type: z.literal('model.current'),
    request_id: requestId,
    model,
    provider,
    scope,
    conversation_id: scopeId,
    ts,
  })
  .meta({
    description: 'Answer to `models.current`.',
    examples: [
      {
        type: 'model.current',
        request_id: 'r11',
        model: 'z-ai/glm-5.3-flash',
        provider: 'openrouter',
        scope: 'conversation',
        conversation_id: 'a1b2',
        ts: time,
      },
    ],
  })

/** The answer carries the `request_id`; the broadcast does not. */
export const modelChanged = z
  .object({
    type: z.literal('model.changed'),
    model,
    provider,
    scope: scope.describe('What it holds for; `global`: the default of all conversations has changed.'),
    conversation_id: scopeId,
    request_id: requestId,
  })
  .meta({
    description: 'Answer to `model.set`; goes to all clients too, without `request_id`.',
    examples: [
      {
        type: 'model.changed',
        model: 'anthropic/claude-sonnet-4',
        provider: 'anthropic',
        scope: 'global',
        request_id: 'r12',
      },
    ],
  })

/** What the next run uses. */
export const reasoningSnapshot = z
  .object({
    type: z.literal('reasoning.snapshot'),
    request_id: requestId,
    effort: z.enum(REASONING_CHOICES).nullable().describe("The level; null: the provider's own."),
    enabled: z.boolean().describe('False: thinking is off.'),
    scope,
    conversation_id: scopeId,
    supported_efforts: z.array(z.enum(REASONING_CHOICES)).describe('What `reasoning.set` takes.'),
    ts,
  })
  .meta({
    description: 'Answer to `reasoning.current`.',
    examples: [
      {
        type: 'reasoning.snapshot',
        request_id: 'r13',
        effort: 'medium',
        enabled: true,
        scope: 'conversation',
        conversation_id: 'a1b2',
        supported_efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
        ts: time,
      },
    ],
  })

/** The answer carries the `request_id`; the broadcast does not. */
export const reasoningChanged = z
  .object({
    type: z.literal('reasoning.changed'),
    effort: z.enum(REASONING_CHOICES).describe('The level from now on.'),
    scope,
    conversation_id: scopeId,
    request_id: requestId,
  })
  .meta({
    description: 'Answer to `reasoning.set`; goes to all clients too, without `request_id`.',
    examples: [
      { type: 'reasoning.changed', effort: 'high', scope: 'conversation', conversation_id: 'a1b2', request_id: 'r14' },
    ],
  })
