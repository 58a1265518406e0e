/** Something cannot be brought to a chat; the message says what to do, for people. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}
