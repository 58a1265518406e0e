/** A call of the tools that is not made; the message tells a model how to correct it. */
export class HomeAssistantRefusal extends Error {
  override readonly name = 'HomeAssistantRefusal'
  readonly code: 'invalid' | 'denied'

  constructor(message: string, code: 'invalid' | 'denied' = 'invalid') {
    super(message)
    this.code = code
  }
}
