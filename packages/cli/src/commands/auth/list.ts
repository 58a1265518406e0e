import type { CredentialStatus } from '@hermes/core/credentials/credential-status.ts'
import { providerKeys } from '@hermes/core/credentials/provider-keys.ts'
import type { Cli, Command } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { describeState, statusJson } from './describe-state.ts'
import { type Credentials, allCredentials, openCredentials, providerOf } from './open-credentials.ts'

/** `hermes auth list`. */
export const listCommand: Command = {
  name: 'list',
  summary: 'List the credentials of a provider, or of all; "←" marks the one that the next request gets',
  positionals: '[provider]',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ positionals, options }, cli) {
    const credentials = await openCredentials(cli)
    const [word] = positionals
    const provider = word === undefined ? undefined : providerOf(word, 'hermes auth list')
    const all =
      provider === undefined
        ? await allCredentials(credentials)
        : [{ provider, list: await credentials.pool.list(provider) }]
    const lists = all.map(({ list }) => list)
    if (options['json'] === true) {
      const json = all.map(({ provider: name, list }) => ({
        provider: name,
        strategy: credentials.strategies[name] ?? 'fill_first',
        credentials: list.map(statusJson),
      }))
      cli.stdout.write(`${JSON.stringify(json, null, 2)}\n`)
      return 0
    }
    if (lists.every((list) => list.length === 0)) {
      cli.stdout.write(`There are no credentials${provider ? ` for ${provider}` : ''}. ${howToAdd(provider)}\n`)
      return 0
    }
    writeLists(lists, credentials, cli)
    return 0
  },
}

function howToAdd(provider = 'PROVIDER'): string {
  const [variable] = providerKeys[provider]?.keys ?? []
  return `Add one with: hermes auth add ${provider}${variable ? `, or set ${variable.name} in .env` : ''}`
}

/** The lists as people read them. */
export function writeLists(
  lists: readonly (readonly CredentialStatus[])[],
  { clock, strategies }: Pick<Credentials, 'clock' | 'strategies'>,
  cli: Cli,
): void {
  for (const list of lists) {
    const [first] = list
    if (!first) continue
    const strategy = list.length > 1 ? ` (${strategies[first.provider] ?? 'fill_first'})` : ''
    const rows = list.map((status) =>
      // Labels and a provider's words may hold anything.
      [`${status.index}`, status.label, status.type, status.source, describeState(status, clock.now())].map(cleanLine),
    )
    const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
    cli.stdout.write(`${first.provider}${strategy}\n`)
    for (const [at, row] of rows.entries()) {
      const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
      cli.stdout.write(`  ${cells.join('  ').trimEnd()}${list[at]?.isNext ? '  ←' : ''}\n`)
    }
  }
}
