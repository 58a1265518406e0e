import { z } from 'zod'

/** Arguments that somebody else checks. */
export const anyArguments = z.record(z.string(), z.unknown())
