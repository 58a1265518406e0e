import type { Profile } from '@hermes/core/config/open-profile.ts'
import { createPairingStore } from '@hermes/gateway/access/pairing-store.ts'
import type { PairingStore } from '@hermes/gateway/access/pairing-store.ts'
import { platformFacts } from '@hermes/gateway/life/setup/registry.ts'
import { pluginPlatforms } from '@hermes/gateway/platforms/plugins/plugin-platforms.ts'
import type { Cli, CommandInput } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { usableProfile } from './usable-profile.ts'

/** Makes a code that lets in who writes it, and shows it. Resolves to the exit code. Throws `UsageError`, `CommandError`. */
export async function invite(platform: string, { options }: CommandInput, cli: Cli): Promise<number> {
  const profile = await usableProfile(cli)
  const store = createPairingStore(profile.home, Date.now)
  await checkInvitable(platform, store, profile)
  const code = await store.invite(platform)
  if (code === undefined) {
    throw new CommandError(
      `Ten invitations to ${platform} are open already. They end after an hour; "hermes pairing clear-pending" takes them back.`,
    )
  }
  if (options['json'] === true) await writeJson(cli, { platform, code, seconds: 3600 })
  else {
    const label = platformFacts.find(({ name }) => name === platform)?.label ?? platform
    const lines = [
      code,
      `Who writes this to the agent in a direct chat on ${label} is let in. It holds for an hour, and for one person.`,
    ]
    await writeOut(cli, `${[...lines, ...(await waiting(platform, store))].join('\n')}\n`)
  }
  return 0
}

/** Who has written already needs no invitation. */
async function waiting(platform: string, store: PairingStore): Promise<readonly string[]> {
  const there = (await store.pending()).filter((one) => one.platform === platform)
  return there.map(({ code, userId, userName }) =>
    cleanLine(`${userName || userId} has written already: hermes gateway pair ${platform} ${code}`),
  )
}

/** Throws where nobody can write a code. */
async function checkInvitable(platform: string, store: PairingStore, profile: Profile): Promise<void> {
  const facts = platformFacts.find(({ name }) => name === platform)
  if (!facts) {
    const { platforms } = await pluginPlatforms(profile)
    if (platforms.some(({ name }) => name === platform)) return
    const known = platformFacts.flatMap(({ name, accessPrefix }) => (accessPrefix === undefined ? [] : name))
    throw new UsageError(`hermes gateway pair: there is no platform "${platform}", only ${known.join(', ')}.`)
  }
  if (facts.accessPrefix === undefined) throw new UsageError(`hermes gateway pair: nobody is let in on ${facts.label}.`)
  if (facts.accessNames === 'DEVICES') {
    const codes = await waiting(platform, store)
    const how = `A device shows its code when it connects: hermes gateway pair ${platform} CODE. "hermes gateway setup ${platform} --show" shows what it scans.`
    throw new CommandError([how, ...codes].join('\n'))
  }
}
