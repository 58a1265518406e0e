import { setImmediate as nextStep } from 'node:timers/promises'
import type { Lanes } from '../../../lanes/lanes.ts'
import { nameOf } from '../conversation-view.ts'
import { sourceOf } from '../pheby.ts'
import { Refusal } from '../refusal.ts'
import { conversationOf } from './request.ts'
import type { Handler } from './request.ts'

/** How long what runs in a conversation beside its runs may take to end before it counts as one, ms. */
const laneMs = 500

export const send: Handler<'chat.send'> = async (request, { pheby }) => {
  const { host, runs, storedRuns, conversations } = pheby
  const conversation = await conversationOf(pheby, request.conversation_id)
  const { id } = conversation
  const source = sourceOf(id, nameOf(conversation))
  // A run may have been told to have ended while the last of its work is put away.
  const isFree = runs.active(id) === undefined && (await becomesFree(host.chats.lanes, host.sessionKey(source)))
  if (!isFree || runs.active(id)) throw new Refusal('run_active', 'A run of this conversation is going on')
  const run = runs.make(id, request.text, request.request_id)
  try {
    await storedRuns.begin(run)
    await conversations.touch(id)
    // It may have been deleted meanwhile.
    await conversationOf(pheby, id)
    const { eventId, startedAt: sentAt, text } = run
    const reception = await host.submit({
      eventId,
      messageId: eventId,
      source,
      text: text ?? '',
      attachments: [],
      sentAt,
    })
    runs.accept(run)
    // The turn, or the answer of the command, does the rest.
    if (reception === 'queued') return
    if (reception === 'command') run.isCommand = !run.hasBegun
    else if (reception === 'answered') {
      runs.complete(run, 'That answers the question.', 'notice')
      runs.finish(run, { status: 'completed' })
    } else runs.finish(run, { status: 'failed', notice: 'The gateway did not take the message.' })
  } catch (error) {
    runs.drop(run)
    throw error
  }
}

export const cancel: Handler<'run.cancel'> = async (request, { pheby }) => {
  const { host, runs } = pheby
  const { id } = await conversationOf(pheby, request.conversation_id)
  const run = runs.active(id)
  const nothing = () => new Refusal('not_found', 'There is no such run that could be cancelled')
  if (!run || run.runId !== request.run_id || run.cancelling || run.outcome) throw nothing()
  const cancelled = Promise.withResolvers<boolean>()
  run.cancelling = { requestId: request.request_id, settle: cancelled.resolve }
  if (!host.chats.lanes.interrupt(host.sessionKey(sourceOf(id)), 'The user cancelled the run.')) {
    run.cancelling = undefined
    throw nothing()
  }
  if (!(await cancelled.promise)) throw nothing()
}

async function becomesFree(lanes: Lanes, key: string): Promise<boolean> {
  const until = performance.now() + laneMs
  while (lanes.isBusy(key)) {
    if (performance.now() > until) return false
    await nextStep()
  }
  return true
}
