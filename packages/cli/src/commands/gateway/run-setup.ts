import { ensureHome } from '@hermes/core/config/home.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { saveVariable } from '@hermes/core/config/environment.ts'
import { refuseWhenManaged } from '@hermes/core/config/edit.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { CheckResult, PlatformFacts } from '@hermes/gateway/life/setup/platform-facts.ts'
import { platformFacts } from '@hermes/gateway/life/setup/registry.ts'
import type { Cli, CommandInput } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { canPick } from '../../picker/can-pick.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { writeOut } from '../sessions/write-out.ts'
import { offerStart, tellStart } from './offer-start.ts'
import { askValues, givenValues } from './setup-values.ts'
import type { Values } from './setup-values.ts'
import { showPhone } from './show-phone.ts'

/** Asks, or takes what was given, and stores it. Resolves to the exit code. Throws `UsageError` and `CommandError`. */
export async function runSetup({ positionals: [name], options }: CommandInput, cli: Cli): Promise<number> {
  const words = Array.isArray(options['set']) ? options['set'].filter((word) => typeof word === 'string') : []
  const profile = await openProfile(cli.environment)
  const facts = name === undefined ? await pickPlatform(profile, cli) : factsOf(name)
  if (!facts) return 0
  const asJson = options['json'] === true
  if (!facts.phone && (asJson || options['show'] === true)) {
    throw new UsageError(`hermes gateway setup: ${facts.label} has no code to show; mobile and pheby have`)
  }
  if (options['show'] === true) return showPhone(facts, profile, { cli, asJson })
  try {
    refuseWhenManaged(profile.home, profile.environment)
    ensureHome(profile.home, profile.environment)
    const isAsked = words.length === 0 && !asJson && (canPick(cli) || !facts.phone)
    if (isAsked && !canPick(cli)) throw needsWords(facts)
    const values = isAsked ? await askValues(facts, profile, cli) : givenValues(words, facts, profile)
    if (options['no-check'] !== true) await check(facts, values, { profile, isAsked, cli })
    for (const [variable, value] of values) {
      await saveVariable({ home: profile.home, signal: cli.signal }, variable, value)
    }
    const changed = values.size === 0 ? 'nothing changed' : [...values.keys()].join(', ')
    const done = `✓ Set up for ${facts.label}: ${changed} in ${profile.home.path('.env')}\n`
    if (facts.phone) cli.stderr.write(done)
    else await writeOut(cli, done)
    if (isAsked) await offerStart(facts, await openProfile(cli.environment), cli)
    else if (!facts.phone) await tellStart(facts, profile, cli)
    return facts.phone ? await showPhone(facts, await openProfile(cli.environment), { cli, asJson }) : 0
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(error.message, 1, { cause: error })
    throw error
  }
}

function factsOf(name: string): PlatformFacts {
  const found = platformFacts.find((facts) => facts.name === name.toLowerCase().replaceAll('-', '_'))
  if (found) return found
  const names = platformFacts.map((facts) => facts.name).join(', ')
  throw new UsageError(`hermes gateway setup: there is nothing to set up for "${name}". There are: ${names}`)
}

function needsWords(facts: PlatformFacts): UsageError {
  const required = facts.variables
    .filter(({ isRequired }) => isRequired)
    .map(({ name, usual }) => `--set ${name}=${typeof usual === 'string' ? usual : 'VALUE'}`)
  const example = `hermes gateway setup ${facts.name} ${required.join(' ')}`
  return new UsageError(`hermes gateway setup: only a terminal can be asked. In a script: ${example}`)
}

interface Checking {
  readonly profile: Profile
  readonly isAsked: boolean
  readonly cli: Cli
}

/** What the service refuses is not kept; where it cannot be asked, that is said. Throws `CommandError`. */
async function check(facts: PlatformFacts, values: Values, { profile, isAsked, cli }: Checking): Promise<void> {
  if (!facts.check) return
  if (isAsked) cli.stderr.write(`Asking ${facts.label} …\n`)
  const root: unknown = profile.config.platforms[facts.name]?.extra['base_url']
  // Upstream's form for Telegram ends in `/bot`.
  const apiRoot = typeof root === 'string' ? root.replace(/\/+$/, '').replace(/\/bot$/, '') : undefined
  const all = { ...profile.environment, ...Object.fromEntries(values) }
  const options = { signal: cli.signal, ...(apiRoot !== undefined && { apiRoot }) }
  const result: CheckResult = await facts.check(all, options)
  if (result.state === 'refused') throw new CommandError(`${cleanText(result.reason)}\nNothing was changed.`)
  const said =
    result.state === 'accepted' ? `✓ ${facts.label} knows it: ${result.account}` : `! Not checked: ${result.reason}`
  cli.stderr.write(`${cleanText(said)}\n`)
}

async function pickPlatform(profile: Profile, cli: Cli): Promise<PlatformFacts | undefined> {
  if (!canPick(cli)) {
    const names = platformFacts.map((facts) => facts.name).join(', ')
    throw new UsageError(`hermes gateway setup: name a platform (${names}); only a terminal can be asked`)
  }
  const { pick } = await import('../../picker/pick.ts')
  const { columnLines } = await import('../sessions/columns.ts')
  const isSet = ({ variables }: PlatformFacts) =>
    variables.every(({ name, isRequired }) => !isRequired || profile.environment[name])
  return pick(
    platformFacts,
    {
      title: 'Chat platforms',
      nothing: 'No platform matches.',
      choose: 'set it up',
      textOf: ({ name, label }: PlatformFacts) => `${name} ${label}`,
      table: (shown: readonly PlatformFacts[], width: number) =>
        columnLines(
          [{ heading: 'Platform', isFlexible: true }, { heading: 'Set up' }],
          shown.map((facts) => [facts.label, isSet(facts) ? '✓' : '–']),
          width,
        ),
    },
    cli,
  )
}
