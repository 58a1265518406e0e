import { removeCredential } from '@hermes/core/credentials/manage.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { openCredentials, providerOf } from './open-credentials.ts'

/** `hermes auth remove`. */
export const removeCommand: Command = {
  name: 'remove',
  summary: 'Remove a credential: by its number in the list, its id or its label',
  positionals: '<provider> <target>',
  async run({ positionals }, cli) {
    const [word, target, ...rest] = positionals
    if (word === undefined || target === undefined || rest.length > 0) {
      throw new UsageError('hermes auth remove: give a provider and which credential, as "hermes auth list" shows them')
    }
    const provider = providerOf(word, 'hermes auth remove')
    const { pool, manage } = await openCredentials(cli)
    const { label, notes } = await removeCredential(pool, provider, target, manage)
    cli.stdout.write([`Removed ${label} of ${provider}.`, ...notes].map((line) => `${line}\n`).join(''))
    return 0
  },
}
