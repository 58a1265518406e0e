import { chatWire } from './chat/wire.ts'
import { converseWire } from './converse/wire.ts'
import { messagesWire } from './messages/wire.ts'
import { responsesWire } from './responses/wire.ts'
import type { Wire } from './wire.ts'

/** Every wire that the server speaks. */
export const wires: readonly Wire[] = [chatWire, messagesWire, responsesWire, converseWire]
