import type { Clock } from '@hermes/core/agent/clock.ts'
import type { SessionListing } from '@hermes/core/sessions/store.ts'
import type { Cli } from '../../command.ts'
import { pick } from '../../picker/pick.ts'
import { sessionLines } from './session-lines.ts'

/** Lets a person pick a session by its title, preview, source or id. Resolves to its id. */
export async function pickSession(
  sessions: readonly SessionListing[],
  clock: Clock,
  cli: Cli,
): Promise<string | undefined> {
  const view = {
    title: 'Sessions',
    nothing: 'No session matches.',
    choose: 'go on with it',
    textOf: sessionText,
    table: (items: readonly SessionListing[], width: number) => sessionLines(items, clock, width),
  }
  return (await pick(sessions, view, cli))?.id
}

/** What a session is found by. */
export function sessionText({ title = '', preview, source, id }: SessionListing): string {
  return `${title} ${preview} ${source} ${id}`
}
