import { randomBytes } from 'node:crypto'
import { isWebAddress, toUrl } from '@hermes/gateway/platforms/webhook/post-answer.ts'
import { routeSchema } from '@hermes/gateway/platforms/webhook/route.ts'
import { isOnlyHere } from '@hermes/gateway/platforms/webhook/settings.ts'
import { noAuthentication } from '@hermes/gateway/platforms/webhook/signature.ts'
import { changeSubscriptions } from '@hermes/gateway/platforms/webhook/subscriptions.ts'
import type { Command } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { tellUnknownSkills, tellUnknownTarget } from '../tell-what-is-missing.ts'
import { localUrl, openWebhooks, routeName } from './open-webhooks.ts'

export const add: Command = {
  name: 'add',
  aliases: ['subscribe'],
  summary: 'Make a route, or put another in its place; the gateway takes it up at once',
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
    deliver: {
      type: 'string',
      value: 'TARGET',
      description: 'log (default), local, github_comment, url, or a platform',
    },
    'deliver-chat-id': { type: 'string', value: 'ID', description: 'Chat of the platform (default: its home channel)' },
    url: { type: 'string', value: 'URL', description: 'Address that answers are posted to, as JSON and signed' },
    secret: {
      type: 'string',
      value: 'SECRET',
      description: 'What requests are signed with (default: the one that the route has, else a new one)',
    },
  },
  async run({ positionals, options }, cli) {
    const name = routeName(positionals[0])
    const { settings, ...profile } = await openWebhooks(cli)
    if (Object.hasOwn(settings.routes, name)) {
      throw new CommandError(`The route "${name}" is in config.yaml, which goes before what is made here.`)
    }
    const text = (option: string) => (typeof options[option] === 'string' ? options[option] : undefined)
    const given = text('secret')
    if (given === noAuthentication && !isOnlyHere(settings.host)) {
      throw new CommandError(
        `${settings.host} can be reached by others: a route without a secret is for 127.0.0.1 alone.`,
      )
    }
    const chat = text('deliver-chat-id')
    const url = answerAddress(text('url'), text('deliver'))
    const deliver = url === undefined ? text('deliver') : toUrl
    const route = routeSchema.parse({
      description: text('description') ?? '',
      events: text('events'),
      prompt: text('prompt'),
      skills: text('skills'),
      deliver,
      ...(chat !== undefined && { deliver_extra: { chat_id: chat } }),
      ...(url !== undefined && { deliver_extra: { url } }),
      created_at: new Date().toISOString(),
    })
    let told = 'as before'
    await changeSubscriptions(profile.home, (routes) => {
      // The service that signs with it knows of no change here.
      const before = Object.hasOwn(routes, name) ? routes[name]?.secret : undefined
      const kept = before === noAuthentication && !isOnlyHere(settings.host) ? undefined : before
      const secret = given ?? (kept || randomBytes(32).toString('base64url'))
      if (secret !== kept) told = secret
      return { ...routes, [name]: { ...route, secret } }
    })
    const lines = [`✓ ${name} takes events at ${localUrl(settings, name)}`, `  Secret: ${told}`]
    await writeOut(cli, `${lines.join('\n')}\n`)
    const target = [deliver ?? 'log', ...(chat === undefined ? [] : [chat])].join(':')
    tellUnknownTarget(target, profile, cli)
    await tellUnknownSkills(route.skills, 'webhook', profile, cli)
    return 0
  },
}

/** Where answers are posted to, if anywhere. Throws `UsageError`. */
function answerAddress(url: string | undefined, deliver: string | undefined): string | undefined {
  const isPosted = deliver?.trim().toLowerCase() === toUrl
  if (url === undefined) {
    if (isPosted) throw new UsageError('hermes webhook add: --deliver url takes an address: --url https://…')
    return undefined
  }
  if (deliver !== undefined && !isPosted) {
    throw new UsageError('hermes webhook add: answers go to one place: --url, or --deliver')
  }
  const address = URL.parse(url)
  if (!address || !isWebAddress(address)) {
    throw new UsageError(`hermes webhook add: --url takes an http(s) address; got "${url}"`)
  }
  return address.href
}
