import type { z } from 'zod'
import type { attachment } from './events/attachments.ts'
import type { activeRun } from './events/chat.ts'
import type { phebyEvent } from './events.ts'
import type { phebyRequest } from './requests.ts'

/** A request as the server has it. */
export type PhebyRequest = z.output<typeof phebyRequest>
/** A request as it may be sent. */
export type PhebyRequestInput = z.input<typeof phebyRequest>
export type PhebyEvent = z.output<typeof phebyEvent>
export type PhebyAttachment = z.output<typeof attachment>
export type PhebyRun = z.output<typeof activeRun>

/** The message of one type: `PhebyOf<PhebyEvent, 'run.finished'>`. */
export type PhebyOf<Message extends { type: string }, Type extends Message['type']> = Extract<Message, { type: Type }>
