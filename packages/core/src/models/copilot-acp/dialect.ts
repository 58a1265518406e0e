import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'

/** The program that is spoken to, and where it works. */
export interface AcpDialect {
  readonly command: string
  readonly args: readonly string[]
  /** Where its sessions are: it may read and write files in here alone. */
  readonly folder: string
  /** Undefined: that of the environment. */
  readonly home: Home | undefined
  readonly environment: Environment
}
