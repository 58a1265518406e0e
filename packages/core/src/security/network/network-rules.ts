import type { Home } from '../../config/home.ts'
import { allowedHosts } from './allowed-hosts.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import { resolveBySystem } from './resolve-host.ts'
import type { ResolveHost } from './resolve-host.ts'
import { createWebsitePolicy } from './website-policy.ts'
import type { WebsiteBlocklist, WebsitePolicy } from './website-policy.ts'

/** The settings of section `security` that say what may be fetched. */
export interface NetworkSettings {
  readonly allow_private_urls: boolean
  readonly allowed_private_hosts: readonly string[]
  readonly website_blocklist: WebsiteBlocklist
}

/** What a URL is judged by. */
export interface NetworkRules {
  /** Every address but those of metadata services may be reached. */
  readonly allowPrivate: boolean
  readonly allowed: AllowedHosts
  readonly policy: WebsitePolicy
  readonly resolve: ResolveHost
}

/** The rules of a profile. `resolve` is the machine's own unless given. */
export function networkRules(
  settings: NetworkSettings,
  {
    home,
    resolve = resolveBySystem,
    now = Date.now,
  }: { readonly home: Home; readonly resolve?: ResolveHost; readonly now?: () => number },
): NetworkRules {
  return {
    allowPrivate: settings.allow_private_urls,
    allowed: allowedHosts(settings.allowed_private_hosts),
    policy: createWebsitePolicy(settings.website_blocklist, { home, now }),
    resolve,
  }
}
