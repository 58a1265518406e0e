import type { ChatRef } from '../messages/outbound-message.ts'
import type { PlatformStatus } from '../platforms/platform-runner.ts'
import type { Courier } from './courier.ts'
import { DeliveryError } from './delivery-error.ts'

/** The home channels of platforms, of those first that are connected. */
export async function homeChats(
  platforms: readonly PlatformStatus[],
  courier: Pick<Courier, 'find'>,
): Promise<readonly ChatRef[]> {
  const byUse = platforms.toSorted((a, b) => Number(b.state === 'connected') - Number(a.state === 'connected'))
  const found = await Promise.all(
    byUse.map(async ({ platform }) => {
      try {
        return await courier.find(platform)
      } catch (error) {
        if (error instanceof DeliveryError) return undefined
        throw error
      }
    }),
  )
  return found.flatMap((chat) => chat ?? [])
}
