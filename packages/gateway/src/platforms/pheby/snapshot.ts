import type { PhebyEvent, PhebyOf } from '@hermes/protocol/pheby/types.ts'
import { attachmentOf } from './attachment-event.ts'
import { sessionOf } from './conversation-view.ts'
import { historyMessages } from './history.ts'
import type { Pheby } from './pheby.ts'
import { transcriptOf } from './transcript.ts'

/** Times that a snapshot is begun anew because something happened while it was made. */
const maxTries = 20

/** Messages beyond the limit that are looked at, since some are not shown. */
const reserve = 100

/**
 * What a client shows of a conversation, whole: everything that was told before it is in it, and nothing that is told
 * after it. `send` is called in the same step in which that is found to be so.
 */
export async function sendSnapshot(
  pheby: Pheby,
  { conversationId, limit }: { readonly conversationId: string; readonly limit: number },
  send: (snapshot: PhebyOf<PhebyEvent, 'conversation.history'>) => void,
): Promise<void> {
  const { host, clients, deliveries, attachments, runs, questions } = pheby
  const redactor = host.chats.live.current.redactor
  for (let tries = 1; ; tries++) {
    const before = clients.changes(conversationId)
    const session = (await sessionOf(pheby, conversationId))?.session
    const transcript = session ? await transcriptOf(session, limit + reserve, host.chats.live.current) : []
    const brought = await deliveries.of(conversationId)
    const files = await attachments.of(conversationId)
    if (clients.changes(conversationId) !== before && tries < maxTries) continue
    const run = runs.active(conversationId)
    const isShown = run?.isAccepted === true
    return send({
      type: 'conversation.history',
      conversation_id: conversationId,
      messages: [...historyMessages({ transcript, deliveries: brought, run: isShown ? run : undefined, limit })],
      attachments: files.map(attachmentOf),
      run: isShown
        ? {
            run_id: run.runId,
            message_id: run.messageId,
            status: 'running',
            text: run.final ?? redactor.redact(run.draft.text()),
          }
        : null,
      tools: [...runs.tools(conversationId)],
      approvals: [...questions.approvals(conversationId)],
      clarifications: [...questions.clarifications(conversationId)],
    })
  }
}
