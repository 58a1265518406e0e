import { z } from 'zod'

/** An element of the last snapshots. */
export const ref = z.string().describe('From a snapshot, e.g. @e5')
