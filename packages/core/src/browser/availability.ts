import type { Availability } from '../tools/availability.ts'
import { chooseBackend } from './choose-backend.ts'

/** Whether there is a browser for the tools of the browser. */
export const browserAvailability: Availability = (context) => chooseBackend(context).missing ?? true
