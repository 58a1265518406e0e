import { resetCredentials } from '@hermes/core/credentials/manage.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { openCredentials, providerOf } from './open-credentials.ts'

/** `hermes auth reset`. */
export const resetCommand: Command = {
  name: 'reset',
  summary: 'Let resting credentials be used at once, and those that were removed without being ours',
  positionals: '<provider>',
  async run({ positionals }, cli) {
    const [word, ...rest] = positionals
    if (word === undefined || rest.length > 0) throw new UsageError('hermes auth reset: give one provider')
    const provider = providerOf(word, 'hermes auth reset')
    const { pool } = await openCredentials(cli)
    const { count } = await resetCredentials(pool, provider)
    cli.stdout.write(count === 0 ? `${provider} had nothing to reset.\n` : `Reset ${provider}: ${count} changed.\n`)
    return 0
  },
}
