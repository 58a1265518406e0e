import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether both are the same, in a time that does not tell where they differ. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
