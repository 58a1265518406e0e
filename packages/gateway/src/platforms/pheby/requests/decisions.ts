import type { PhebyErrorCode } from '@hermes/protocol/pheby/error-codes.ts'
import type { Answered } from '../questions.ts'
import { Refusal } from '../refusal.ts'
import type { Handler } from './request.ts'

/** How long a turn that goes on without the reason of a denial is tried to be told of it, ms. */
const reasonMs = 60_000

/** The broadcast that the question is over is the answer. */
export const approve: Handler<'approval.respond'> = async (request, { pheby }) => {
  const { questions, host, ending } = pheby
  const { approval_id: id, choice, reason, request_id: requestId } = request
  const place = questions.conversationOf(id)
  refuse(questions.answerApproval(id, choice, requestId), 'approval_not_found')
  if (choice !== 'deny' || !reason?.trim() || !place) return
  const signal = AbortSignal.any([ending, AbortSignal.timeout(reasonMs)])
  const said = host.chats.steering.say(place.sessionKey, `I denied that, because: ${reason.trim()}`, signal)
  said.catch((error: unknown) => host.log.debug({ error: String(error) }, 'the reason of a denial was not told'))
}

export const clarify: Handler<'clarify.respond'> = async (request, { pheby }) => {
  const { clarify_id: id, response, request_id: requestId } = request
  refuse(pheby.questions.answerClarify(id, response.trim(), requestId), 'clarify_not_found')
}

function refuse(answered: Answered, code: PhebyErrorCode): void {
  if (answered === 'not-offered') throw new Refusal('bad_request', 'choice: is not offered for this action')
  if (answered === 'closed') throw new Refusal(code, 'It was answered or has expired already, or there never was one')
}
