import { createMessageTaker } from './take-message.ts'
import type { TakerOptions } from './take-message.ts'
import { takeInteraction } from './take-interaction.ts'

/** Deals with what the gateway gives. */
export interface EventTaker {
  take(type: string, data: unknown): void
  /** Reads what was written while no session was there; one reading at a time. */
  catchUp(): void
  close(): Promise<void>
}

/** `read`: reads what was written meanwhile, handing each message over. */
export function createEventTaker(
  options: TakerOptions,
  read: (take: (message: unknown) => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): EventTaker {
  const { places, host } = options
  const messages = createMessageTaker(options, signal)
  let reading: Promise<void> = Promise.resolve()

  const observed = (work: Promise<void>, what: string) => {
    work.catch((error: unknown) => {
      if (!signal.aborted) host.log.warn({ error: String(error) }, what)
    })
  }
  return {
    take(type, data) {
      if (type === 'MESSAGE_CREATE') observed(messages.take(data), 'a message could not be dealt with')
      else if (type === 'INTERACTION_CREATE') {
        observed(takeInteraction(data, options, signal), 'a command or button could not be dealt with')
      } else if (type === 'GUILD_CREATE' || type === 'GUILD_UPDATE') places.noteGuild(data)
      else if (/^(CHANNEL|THREAD)_(CREATE|UPDATE)$/.test(type)) places.noteChannel(data)
      else if (/^(CHANNEL|THREAD)_DELETE$/.test(type)) places.forget(data)
    },
    catchUp() {
      reading = reading.then(() => read((message) => messages.take(message))).catch(() => undefined)
    },
    async close() {
      messages.close()
      await reading
    },
  }
}
