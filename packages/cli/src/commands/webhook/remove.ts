import { changeSubscriptions } from '@hermes/gateway/platforms/webhook/subscriptions.ts'
import type { Command } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { openWebhooks, routeName } from './open-webhooks.ts'

export const remove: Command = {
  name: 'remove',
  aliases: ['rm'],
  summary: 'Take a route away',
  positionals: '<name>',
  async run({ positionals }, cli) {
    const name = routeName(positionals[0])
    const { home } = await openWebhooks(cli)
    await changeSubscriptions(home, (routes) => {
      if (!Object.hasOwn(routes, name)) {
        throw new CommandError(`No route "${name}" was made here; "hermes webhook list" shows those there are.`)
      }
      return Object.fromEntries(Object.entries(routes).filter(([other]) => other !== name))
    })
    await writeOut(cli, `✓ ${name} takes no events any more.\n`)
    return 0
  },
}
