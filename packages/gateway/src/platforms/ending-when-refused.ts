import { PlatformError } from './platform-error.ts'
import type { Connection } from './platform.ts'

/**
 * The connection of one account, which is lost as soon as the service refuses its token: where events are brought by
 * another way, nothing else would say that answers cannot go out any more.
 */
export function endingWhenRefused(connection: Connection): Connection {
  const refused = Promise.withResolvers<unknown>()
  return {
    ...connection,
    closed: Promise.race([connection.closed, refused.promise]),
    async send(...message) {
      try {
        return await connection.send(...message)
      } catch (error) {
        if (error instanceof PlatformError && error.code === 'unauthorised') refused.resolve(error)
        throw error
      }
    },
  }
}
