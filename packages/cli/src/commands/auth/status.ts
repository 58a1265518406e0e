import { activeProvider } from '@hermes/core/credentials/manage.ts'
import type { Command } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { bestState, describeState, statusJson } from './describe-state.ts'
import { allCredentials, openCredentials, providerOf } from './open-credentials.ts'

/** `hermes auth status`. */
export const statusCommand: Command = {
  name: 'status',
  summary: 'Show how the credentials stand; exits 1 when none can be used now',
  positionals: '[provider]',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ positionals, options }, cli) {
    const credentials = await openCredentials(cli)
    const { pool, clock } = credentials
    const [word] = positionals
    const provider = word === undefined ? undefined : providerOf(word, 'hermes auth status')
    const found =
      provider === undefined ? await allCredentials(credentials) : [{ provider, list: await pool.list(provider) }]
    const active = await activeProvider(pool)
    const statuses = found.map((one) => ({ ...one, state: bestState(one.list) }))
    const isUsable = statuses.some(({ state }) => state === 'ok' || state === 'expired')
    if (options['json'] === true) {
      const providers = statuses.map(({ provider: name, list, state }) => ({
        provider: name,
        state,
        active: name === active,
        credentials: list.map(statusJson),
      }))
      cli.stdout.write(`${JSON.stringify({ usable: isUsable, active: active ?? null, providers }, null, 2)}\n`)
      return isUsable ? 0 : 1
    }
    for (const { provider: name, list } of statuses) {
      // What the next request gets or, when it gets none, what there is.
      const shown = list.find(({ isNext }) => isNext) ?? list[0]
      const others = list.length > 1 ? ` (${list.length} credentials)` : ''
      const mark = name === active ? ', signed in last' : ''
      cli.stdout.write(
        `${name}: ${shown ? cleanLine(describeState(shown, clock.now())) : 'no credential'}${others}${mark}\n`,
      )
    }
    if (found.length === 0) cli.stdout.write('There are no credentials. Add one with: hermes auth add PROVIDER\n')
    return isUsable ? 0 : 1
  },
}
