import type { Verdict } from '@hermes/core/security/check/verdict.ts'
import type { Command } from '../../command.ts'
import { givenValue } from './value.ts'
import { jsonOption, tell } from './verdict.ts'
import { withProfile } from './with-profile.ts'

/** Longest that a name is looked up, ms. */
const timeoutMs = 10_000

export const checkAddress: Command = {
  name: 'url',
  summary: 'Whether a page would be fetched, and which address it has; looks its name up and fetches nothing',
  positionals: '<url | ->',
  options: jsonOption,
  async run(input, cli) {
    const url = await givenValue(input, cli, { usage: 'check url URL', trim: true })
    return withProfile(cli, async ({ home, config }) => {
      const { checkUrl } = await import('@hermes/core/security/network/check-url.ts')
      const { networkRules } = await import('@hermes/core/security/network/network-rules.ts')
      const signal = AbortSignal.any([cli.signal, AbortSignal.timeout(timeoutMs)])
      const found = await checkUrl(url, networkRules(config.security, { home }), signal)
      const { reason } = found
      const verdict: Verdict & { readonly addresses?: readonly string[]; readonly code?: string } = found.allowed
        ? { decision: 'allowed', reason, addresses: found.addresses }
        : { decision: 'denied', reason, code: found.code }
      return tell(verdict, input, cli, verdict.addresses ?? [])
    })
  },
}
