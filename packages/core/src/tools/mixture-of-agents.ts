import { z } from 'zod'
import { aggregatorModel, mixtureOfAgents, referenceModels } from '../mixture/mixture-of-agents.ts'
import { ModelError } from '../models/model-error.ts'
import { defineTool, jsonResult } from './tool.ts'

export const mixtureOfAgentsTool = defineTool({
  name: 'mixture_of_agents',
  toolset: 'moa',
  description:
    'Have a hard question answered by four of the strongest models, and one answer made of theirs. Slow and dear (five calls with much thinking): for problems of mathematics, algorithms or analysis that you cannot solve alone. The models know nothing of this conversation and have no tools.',
  input: z.object({ user_prompt: z.string().describe('The question, with everything needed to answer it') }),
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ user_prompt: prompt }) => prompt,
  async run({ user_prompt: prompt }, { agent, session, signal, progress }) {
    const used = (references: readonly string[]) => ({
      reference_models: references,
      aggregator_model: aggregatorModel,
    })
    try {
      if (prompt.trim() === '') throw new ModelError('invalid-request', 'user_prompt is empty.')
      const question = { prompt, sessionId: session.sessionId, progress }
      const { response, answered, failures } = await mixtureOfAgents(question, agent, signal)
      return jsonResult({
        success: true,
        response: agent.redactor.redact(response),
        models_used: used(answered),
        ...(failures.length > 0 && { note: agent.redactor.redact(`Without ${failures.join('; ')}`) }),
      })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelError)) throw error
      const message = agent.redactor.redact(error.message)
      const response = 'The models could not be asked. Answer by yourself.'
      return jsonResult({ success: false, response, models_used: used(referenceModels), error: message }, 'error')
    }
  },
})
