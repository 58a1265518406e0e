import type { Availability } from '../tools/availability.ts'
import { chooseBackend } from './choose-backend.ts'

/** Whether there is a browser for the tools of the browser, also one that the person has connected to a session. */
export const browserAvailability: Availability = (context, session) => {
  const cdpUrl = session && context.scopes.get(session.id).browser.cdpUrl
  return chooseBackend(context, cdpUrl).missing ?? true
}
