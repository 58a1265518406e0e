import type { Profile } from '@hermes/core/config/open-profile.ts'
import {
  isSecureAddress,
  phoneAddress,
  phoneAddressProblem,
  phoneLink,
} from '@hermes/gateway/life/setup/phone-address.ts'
import type { PlatformFacts } from '@hermes/gateway/life/setup/platform-facts.ts'
import type { Cli } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { tell } from './tell.ts'

export interface Showing {
  readonly cli: Cli
  readonly asJson: boolean
}

/**
 * Shows how a phone gets to its page: a code to scan at a terminal, else the link. Both hold the secret. Throws
 * `CommandError` where nothing is set up.
 */
export async function showPhone(
  { phone, name }: PlatformFacts,
  { config, environment }: Profile,
  { cli, asJson }: Showing,
): Promise<number> {
  if (!phone) throw new CommandError('There is nothing to show.')
  const server = await phone.read(config, environment)
  if (typeof server === 'string') throw new CommandError(`${server} hermes gateway setup ${name} sets it up.`)
  const given = environment[phone.addressVariable]?.trim() || phoneAddress(server)
  const problem = phoneAddressProblem(given)
  if (problem !== undefined) throw new CommandError(`${phone.addressVariable}: ${problem}`)
  const url = phoneLink(given, server.secret)
  const isSecure = isSecureAddress(given)
  if (asJson) {
    await writeJson(cli, { platform: name, url, listens: `${server.host}:${server.port}`, isSecure })
    return 0
  }
  const warned = warnings({ address: given, isSecure, host: server.host })
  for (const warning of warned) tell(cli, warning, '! ')
  if (warned.length > 0) cli.stderr.write('\n')
  const code = cli.stdout.isTTY && cli.environment['TERM'] !== 'dumb' ? await codeThatFits(url, cli) : undefined
  await writeOut(cli, code === undefined ? `${url}\n` : `${code}\n`)
  tell(
    cli,
    code === undefined
      ? 'Open the link on the phone. It holds the secret: show it to nobody, and keep it out of chats and logs.'
      : `Scan it with the phone's camera. It holds the secret: show it to nobody, and clear the screen afterwards.`,
  )
  if (name === 'mobile') {
    tell(cli, 'A phone that is not let in yet shows a code, which you approve here: hermes pairing approve mobile CODE')
  }
  tell(cli, `To see it again: hermes gateway setup ${name} --show`)
  return 0
}

async function codeThatFits(url: string, { stdout }: Cli): Promise<string | undefined> {
  const { qrCode, terminalLines } = await import('./qr-code.ts')
  const modules = qrCode(url)
  const lines = terminalLines(modules)
  return (stdout.columns ?? 80) >= lines.columns ? lines.text : undefined
}

interface Reached {
  readonly address: string
  readonly isSecure: boolean
  /** What the gateway listens on. */
  readonly host: string
}

function warnings({ address, isSecure, host }: Reached): readonly string[] {
  const { hostname, protocol } = new URL(address)
  const isHere = isSecure && protocol === 'http:'
  const listensHere = /^(127\.|localhost$|::1$)/.test(host)
  return [
    ...(isSecure
      ? []
      : [
          'Plain http: everybody in the network can read along, and the page gets no microphone and cannot be installed.',
        ]),
    ...(isHere
      ? [`${hostname} is this machine itself: a phone cannot reach it. Name another address, or a proxy's.`]
      : []),
    ...(!isHere && protocol === 'http:' && listensHere
      ? [`The gateway listens on ${host}, where a phone does not get in: 0.0.0.0 would be all networks.`]
      : []),
  ]
}
