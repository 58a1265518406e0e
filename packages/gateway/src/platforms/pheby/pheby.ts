import type { MessageSource } from '../../messages/inbound-message.ts'
import type { FaceHost } from '../turn-face.ts'
import type { Attachments } from './attachments.ts'
import type { Clients } from './clients.ts'
import type { Questions } from './questions.ts'
import type { Runs } from './runs.ts'
import type { Conversations } from './store/conversations.ts'
import type { Deliveries } from './store/deliveries.ts'
import type { StoredRuns } from './store/stored-runs.ts'

/** Everything that requests and deliveries use. */
export interface Pheby {
  readonly host: FaceHost
  readonly clients: Clients
  readonly conversations: Conversations
  readonly deliveries: Deliveries
  readonly attachments: Attachments
  readonly storedRuns: StoredRuns
  readonly runs: Runs
  readonly questions: Questions
  /** Aborts when the connection to the gateway ends. */
  readonly ending: AbortSignal
}

/** Our account: there is one. */
export const account = 'pheby'

/** Where a conversation's messages come from. The app has one user, who has shown that they know the secret. */
export function sourceOf(conversationId: string, name = ''): MessageSource {
  return {
    platform: 'pheby',
    account,
    chatId: conversationId,
    chatType: 'dm',
    userId: 'owner',
    ...(name !== '' && { chatName: name }),
  }
}
