/** The gateway does not let this phone in; the message is for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** A person lets it in where the agent runs; then the same token is taken. */
  readonly isWaiting: boolean

  constructor(message: string, isWaiting: boolean) {
    super(message)
    this.isWaiting = isWaiting
  }
}
