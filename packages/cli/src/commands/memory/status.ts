import type { Profile } from '@hermes/core/config/open-profile.ts'
import { MemoryProviderError } from '@hermes/core/memory/memory-provider-error.ts'
import { openMemoryFiles } from '@hermes/core/memory/memory-files.ts'
import { usageText } from '@hermes/core/memory/memory-format.ts'
import { memoryProviders } from '@hermes/core/memory/providers/registry.ts'
import { knownSecrets } from '@hermes/core/security/known-secrets.ts'
import { createRedactor } from '@hermes/core/security/redact.ts'
import type { Cli, Command } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { startOf, withProfile } from './with-memory.ts'

/** Longest that a provider's service may take to answer, ms. */
const checkTimeoutMs = 10_000

interface ProviderState {
  /** Empty where none is set. */
  readonly provider: string
  readonly state: 'none' | 'ready' | 'unknown' | 'missing' | 'failing'
  /** What it says of itself, or what is wrong. */
  readonly detail: string
}

export const status: Command = {
  name: 'status',
  summary: 'Show what is remembered where, and whether the memory provider answers',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ options }, cli) {
    return withProfile(cli, async (profile) => {
      const [files, state] = await Promise.all([fileLines(profile), providerState(profile, cli)])
      if (options['json'] === true) await writeJson(cli, { ...files, ...state })
      else {
        const lines = [`MEMORY.md  ${files.memory}`, `USER.md    ${files.user}`, `Provider   ${providerText(state)}`]
        await writeOut(cli, `${lines.join('\n')}\n`)
      }
      return state.state === 'none' || state.state === 'ready' ? 0 : 1
    })
  },
}

async function fileLines({ home, config }: Profile): Promise<{ readonly memory: string; readonly user: string }> {
  const { memory: settings } = config
  const limits = { memoryChars: settings.memory_char_limit, userChars: settings.user_char_limit }
  const files = openMemoryFiles(home, limits)
  const line = async (target: 'memory' | 'user', isOn: boolean) => {
    const { entries, usedChars, limitChars } = await files.read(target)
    const count = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`
    return `${count} (${usageText(usedChars, limitChars)})${isOn ? '' : ', off'}`
  }
  const [memory, user] = await Promise.all([
    line('memory', settings.memory_enabled),
    line('user', settings.user_profile_enabled),
  ])
  return { memory, user }
}

async function providerState(profile: Profile, cli: Cli): Promise<ProviderState> {
  const { provider } = profile.config.memory
  if (provider === '') return { provider, state: 'none', detail: 'none; "hermes memory setup" chooses one' }
  const load = Object.hasOwn(memoryProviders, provider) ? memoryProviders[provider] : undefined
  if (!load) {
    const names = Object.keys(memoryProviders).sort().join(', ')
    return { provider, state: 'unknown', detail: `there is no such provider; there are ${names}` }
  }
  const redactor = createRedactor({ enabled: true, known: knownSecrets(profile.environment, profile.config) })
  const told = (text: string) => redactor.redact(text)
  try {
    const kind = await load()
    const start = startOf(kind, profile, cli)
    const available = await kind.available(start)
    if (available !== true) return { provider, state: 'missing', detail: told(available) }
    const signal = AbortSignal.any([cli.signal, AbortSignal.timeout(checkTimeoutMs)])
    const detail = (await kind.check?.(start, signal)) ?? 'set up'
    return { provider, state: 'ready', detail: told(detail) }
  } catch (error) {
    if (cli.signal.aborted) throw error
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    if (!isLate && !(error instanceof MemoryProviderError)) throw error
    const detail = isLate ? `it did not answer within ${checkTimeoutMs / 1000} s` : told(error.message)
    return { provider, state: 'failing', detail }
  }
}

function providerText({ provider, state, detail }: ProviderState): string {
  const shown = cleanText(detail)
  if (state === 'none') return shown
  return state === 'ready' ? `${provider} ✓ ${shown}` : `${provider} ✗ ${shown}`
}
