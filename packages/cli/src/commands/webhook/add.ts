import { randomBytes } from 'node:crypto'
import { routeSchema } from '@hermes/gateway/platforms/webhook/route.ts'
import { isOnlyHere } from '@hermes/gateway/platforms/webhook/settings.ts'
import { noAuthentication } from '@hermes/gateway/platforms/webhook/signature.ts'
import { changeSubscriptions } from '@hermes/gateway/platforms/webhook/subscriptions.ts'
import type { Command } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { tellUnknownSkills, tellUnknownTarget } from '../tell-what-is-missing.ts'
import { localUrl, openWebhooks, routeName } from './open-webhooks.ts'

export const add: Command = {
  name: 'add',
  aliases: ['subscribe'],
  summary: 'Make a route, or change it; the gateway takes it up at once',
  positionals: '<name>',
  options: {
    prompt: {
      type: 'string',
      value: 'TEXT',
      description: 'What the agent is asked; {a.b} is what the event has there',
    },
    events: { type: 'string', value: 'LIST', description: 'Kinds of events that are let in (default: all)' },
    description: { type: 'string', value: 'TEXT', description: 'What it is for' },
    skills: { type: 'string', value: 'LIST', description: 'Skills that it uses' },
    deliver: { type: 'string', value: 'TARGET', description: 'log (default), local, github_comment, or a platform' },
    'deliver-chat-id': { type: 'string', value: 'ID', description: 'Chat of the platform (default: its home channel)' },
    secret: { type: 'string', value: 'SECRET', description: 'What requests are signed with (default: a new one)' },
  },
  async run({ positionals, options }, cli) {
    const name = routeName(positionals[0])
    const { settings, ...profile } = await openWebhooks(cli)
    if (Object.hasOwn(settings.routes, name)) {
      throw new CommandError(`The route "${name}" is in config.yaml, which goes before what is made here.`)
    }
    const text = (option: string) => (typeof options[option] === 'string' ? options[option] : undefined)
    const secret = text('secret') ?? randomBytes(32).toString('base64url')
    if (secret === noAuthentication && !isOnlyHere(settings.host)) {
      throw new CommandError(
        `${settings.host} can be reached by others: a route without a secret is for 127.0.0.1 alone.`,
      )
    }
    const chat = text('deliver-chat-id')
    const route = routeSchema.parse({
      description: text('description') ?? '',
      events: text('events'),
      secret,
      prompt: text('prompt'),
      skills: text('skills'),
      deliver: text('deliver'),
      ...(chat !== undefined && { deliver_extra: { chat_id: chat } }),
      created_at: new Date().toISOString(),
    })
    await changeSubscriptions(profile.home, (routes) => ({ ...routes, [name]: route }))
    const lines = [`✓ ${name} takes events at ${localUrl(settings, name)}`, `  Secret: ${secret}`]
    await writeOut(cli, `${lines.join('\n')}\n`)
    const target = [text('deliver') ?? 'log', ...(chat === undefined ? [] : [chat])].join(':')
    tellUnknownTarget(target, profile, cli)
    await tellUnknownSkills(route.skills, 'webhook', profile, cli)
    return 0
  },
}
