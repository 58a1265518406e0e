import { z } from 'zod'
import { defineTool, jsonResult } from './tool.ts'

const maxChoices = 4

export const clarify = defineTool({
  name: 'clarify',
  toolset: 'clarify',
  description:
    'Ask the user one question when you cannot go on without their decision: several readings, a trade-off that is theirs. Offer up to 4 choices where you can; they may always answer freely. Not for consent to a command, which is asked for by itself.',
  input: z.object({
    question: z.string().describe('The question, without the choices'),
    choices: z.array(z.coerce.string()).optional().describe('At most 4 answers to pick from'),
  }),
  concurrency: 'exclusive',
  preview: ({ question }) => question,
  async run({ question, choices }, { agent, decide, callId, signal }) {
    if (question.trim() === '') return jsonResult({ error: 'question is empty.' }, 'error')
    const offered = (choices ?? []).map((choice) => choice.trim()).filter((choice) => choice !== '')
    const shown = [...new Set(offered)].slice(0, maxChoices)
    const answer = await decide(
      {
        kind: 'clarify',
        id: callId,
        question: agent.redactor.redact(question.trim()),
        choices: shown.map((choice) => agent.redactor.redact(choice)),
      },
      signal,
    )
    if (answer.kind !== 'clarify' || answer.outcome !== 'answered' || answer.answer === undefined) {
      const why =
        answer.kind === 'clarify' && answer.outcome === 'timeout'
          ? 'The user did not answer in time'
          : 'Nobody is there to answer'
      return jsonResult(
        { error: `${why}. Go on with your best judgement and say what you assumed.`, question, choices_offered: shown },
        'error',
      )
    }
    return jsonResult({ question, choices_offered: shown, user_response: answer.answer.trim() })
  },
})
