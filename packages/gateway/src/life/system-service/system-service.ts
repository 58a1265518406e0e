/** The gateway as a service of the operating system: started with it, and again when it fails. */
export interface SystemService {
  /** As the system knows it, e.g. `hermes-gateway-work`. */
  readonly name: string
  /** What keeps it, for people, e.g. `systemd (user)`. */
  readonly kind: string
  /** The file that defines it, absolute. */
  readonly file: string
  /** Where what it says is to be found: a command or a folder. */
  readonly logs: string
  /** Writes the definition where it is missing or another one, and has the system take it up. Throws `ServiceError`. */
  install(definition: ServiceDefinition, signal: AbortSignal): Promise<void>
  /** Stops it and takes it away. Resolves to whether it was there. Throws `ServiceError`. */
  uninstall(signal: AbortSignal): Promise<boolean>
  /** Whether it is there, and whether its definition says what `definition` does. */
  standing(definition: ServiceDefinition): Promise<'absent' | 'current' | 'outdated'>
  isInstalled(): boolean
  /** As whom it runs, where its definition says so. */
  installedUser(): Promise<string | undefined>
  /** Throws `ServiceError`. */
  start(signal: AbortSignal): Promise<void>
  /** Resolves when it has ended. Throws `ServiceError`. */
  stop(signal: AbortSignal): Promise<void>
  /** Throws `ServiceError`. */
  restart(signal: AbortSignal): Promise<void>
  state(signal: AbortSignal): Promise<ServiceState>
}

export interface ServiceState {
  readonly isActive: boolean
  /** The system's own word, e.g. `active (running)`. */
  readonly text: string
  /** Whether the system starts it by itself. */
  readonly isEnabled: boolean
  /** What a person should know, e.g. that it ends when they sign out. */
  readonly hints: readonly string[]
}

/** What the service runs, and as whom. */
export interface ServiceDefinition {
  /** Whose gateway it is, for people. */
  readonly profile: string
  /** Program and arguments; the first is absolute. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Where it works, absolute. */
  readonly folder: string
  /** How long running conversations may go on when it stops, seconds. */
  readonly drainSeconds: number
  /** For services of the whole system. */
  readonly user?: { readonly name: string; readonly group: string }
}

export type ServiceErrorCode = 'no-service-manager' | 'not-installed' | 'not-permitted' | 'failed' | 'no-such-user'

/** The system did not do what was asked of a service. The message says what a person can do. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ServiceErrorCode

  constructor(code: ServiceErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Whether the system keeps no services here, as in a container or a session without a bus. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'no-service-manager'
}
