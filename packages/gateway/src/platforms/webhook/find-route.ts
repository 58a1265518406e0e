import type { PlatformHost } from '../platform.ts'
import type { WebhookRoute } from './route.ts'
import type { WebhookSettings } from './settings.ts'
import { watchSubscriptions } from './subscriptions.ts'

export type FindRoute = (name: string) => Promise<WebhookRoute | undefined>

/** Finds routes by their names: those of the settings go before those that were made by command. */
export function createFindRoute(
  settings: WebhookSettings,
  { home, log }: Pick<PlatformHost, 'home' | 'log'>,
): FindRoute {
  const subscriptions = watchSubscriptions(home, log)
  return async (name) => {
    if (Object.hasOwn(settings.routes, name)) return settings.routes[name]
    const made = await subscriptions()
    return Object.hasOwn(made, name) ? made[name] : undefined
  }
}
