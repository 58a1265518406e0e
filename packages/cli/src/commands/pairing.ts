import { openHome } from '@hermes/core/config/home.ts'
import { createPairingStore } from '@hermes/gateway/access/pairing-store.ts'
import type { PairingStore } from '@hermes/gateway/access/pairing-store.ts'
import { platforms } from '@hermes/gateway/platforms/registry.ts'
import type { Cli, Command } from '../command.ts'
import { CommandError, UsageError } from '../command.ts'
import { cleanLine } from '../repl/clean-text.ts'
import { usableProfile } from './gateway/usable-profile.ts'
import { writeJson, writeOut } from './sessions/write-out.ts'

export const command: Command = {
  name: 'pairing',
  summary: 'Who may speak to the agent in chats: let people in, and out again',
  subcommands: [
    {
      name: 'list',
      summary: 'Codes that wait, and people who were let in',
      options: { json: { type: 'boolean', description: 'For programs' } },
      run: async ({ options }, cli) => list(open(cli), options['json'] === true, cli),
    },
    {
      name: 'approve',
      summary: 'Let in the person that a code was given to',
      positionals: '<platform> <code>',
      async run({ positionals: [name, code] }, cli) {
        if (!name || !code) throw new UsageError('hermes pairing approve: say which platform and code.')
        const [platform, store] = [name.toLowerCase(), open(cli)]
        await checkPlatform(platform, store, cli)
        const user = await store.approve(platform, code)
        if (!user) {
          const until = await store.lockedUntil(platform)
          throw new CommandError(
            `No one on ${platform} has that code, or it is older than an hour; "hermes pairing list" shows those that wait.${
              until === undefined
                ? ''
                : ` After so many wrong ones nobody gets a new code there until ${timeOf(until)}.`
            }`,
          )
        }
        await writeOut(cli, `✓ ${cleanLine(user.userName || user.userId)} may speak to the agent on ${platform} now.\n`)
        return 0
      },
    },
    {
      name: 'revoke',
      summary: 'Let somebody in no longer',
      positionals: '<platform> <user>',
      async run({ positionals: [platform, user] }, cli) {
        const store = open(cli)
        if (!platform || !user) {
          const there = (await store.approved()).filter((one) => !platform || one.platform === platform)
          const who = there.map((one) => `${one.platform} ${one.userId}`).join(', ') || 'nobody'
          throw new UsageError(`Say which platform and user. Let in: ${cleanLine(who)}.`)
        }
        const done = await store.revoke(platform, user)
        if (!done) throw new CommandError(`${user} was not let in on ${platform}; "hermes pairing list" shows who was.`)
        await writeOut(cli, `✓ ${user} may not speak to the agent on ${platform} any more.\n`)
        return 0
      },
    },
    {
      name: 'clear-pending',
      summary: 'Take back all codes that wait',
      async run(_input, cli) {
        const count = await open(cli).clearPending()
        await writeOut(cli, `✓ ${count} ${count === 1 ? 'code' : 'codes'} taken back.\n`)
        return 0
      },
    },
  ],
  examples: ['hermes pairing list', 'hermes pairing approve telegram ABCD2345', 'hermes pairing revoke telegram 42'],
}

/** Settings that are wrong keep nobody in: they are not read. */
function open({ environment }: Cli): PairingStore {
  return createPairingStore(openHome(environment), Date.now)
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString('sv-SE', { hour: '2-digit', minute: '2-digit' })
}

/** Throws where nobody can have got a code. */
async function checkPlatform(platform: string, store: PairingStore, cli: Cli): Promise<void> {
  if (Object.hasOwn(platforms, platform) || (await store.pending()).some((one) => one.platform === platform)) return
  const { pluginPlatforms } = await import('@hermes/gateway/platforms/plugins/plugin-platforms.ts')
  const brought = (await pluginPlatforms(await usableProfile(cli))).platforms.map(({ name }) => name)
  if (brought.includes(platform)) return
  const known = [...Object.keys(platforms).filter((name) => name !== 'webhook'), ...brought]
  throw new UsageError(`hermes pairing approve: there is no platform "${platform}", only ${known.join(', ')}.`)
}

async function list(store: PairingStore, asJson: boolean, cli: Cli): Promise<number> {
  const [pending, approved, invitations] = await Promise.all([store.pending(), store.approved(), store.invitations()])
  if (asJson) {
    await writeJson(cli, { pending, approved, invitations })
    return 0
  }
  const name = (userName: string, userId: string) => cleanLine(userName ? `${userName} (${userId})` : userId)
  const lines = [
    ...pending.map(({ platform, code, userId, userName, ageSeconds }) => {
      return `waits     ${platform.padEnd(12)} ${code}  ${name(userName, userId)}, ${Math.round(ageSeconds / 60)} min ago`
    }),
    ...invitations.map(
      ({ platform, code, ageSeconds }) =>
        `invited   ${platform.padEnd(12)} ${code}  whoever writes it, made ${Math.round(ageSeconds / 60)} min ago`,
    ),
    ...approved.map(({ platform, userId, userName }) => `let in    ${platform.padEnd(12)} ${name(userName, userId)}`),
  ]
  await writeOut(cli, lines.length > 0 ? `${lines.join('\n')}\n` : 'Nobody waits, and nobody was let in by a code.\n')
  return 0
}
