import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { readSettings } from '@hermes/gateway/platforms/webhook/settings.ts'
import type { WebhookSettings } from '@hermes/gateway/platforms/webhook/settings.ts'
import type { Cli } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'

export interface OpenWebhooks extends Pick<Profile, 'home' | 'config' | 'environment'> {
  readonly settings: WebhookSettings
}

/** The profile's webhooks. Throws `CommandError` where they are not switched on. */
export async function openWebhooks(cli: Cli): Promise<OpenWebhooks> {
  const { home, config, environment } = await openProfile(cli.environment)
  const setup = readSettings(config, environment)
  if (setup.state === 'ready') return { home, config, environment, settings: setup.settings }
  if (setup.state === 'incomplete') throw new CommandError(`Webhooks cannot be used: ${setup.reason}`)
  throw new CommandError('Webhooks are not switched on. Say "hermes config set WEBHOOK_ENABLED true", then try again.')
}

/** A route's name as it stands in its address. Throws `UsageError`. */
export function routeName(given: string | undefined): string {
  const name = (given ?? '').trim().toLowerCase().replaceAll(' ', '-')
  if (/^[a-z0-9][a-z0-9_-]*$/.test(name)) return name
  throw new UsageError('Say the name of the route: letters, digits, "-" and "_", first a letter or a digit.')
}

/** Where a route's requests go to from this machine. */
export function localUrl({ host, port }: Pick<WebhookSettings, 'host' | 'port'>, name: string): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/webhooks/${name}`
}
