import { readSubscriptions } from '@hermes/gateway/platforms/webhook/subscriptions.ts'
import type { Command } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { localUrl, openWebhooks } from './open-webhooks.ts'

export const list: Command = {
  name: 'list',
  aliases: ['ls'],
  summary: 'Routes, and where their answers go; no secrets',
  options: { json: { type: 'boolean', description: 'For programs' } },
  async run({ options }, cli) {
    const { home, settings } = await openWebhooks(cli)
    const routes = { ...(await readSubscriptions(home)), ...settings.routes }
    const found = Object.entries(routes).map(([name, { events, deliver, deliver_extra: extra, description }]) => ({
      name,
      url: localUrl(settings, name),
      events,
      deliver: [deliver, extra.chat_id ?? hostOf(extra.url)].filter(Boolean).join(':'),
      description: description ?? '',
    }))
    if (options['json'] === true) {
      await writeJson(cli, found)
      return 0
    }
    const lines = found.map(({ name, url, events, deliver, description }) =>
      [name, url, events.join(',') || 'all events', `→ ${deliver}`, description]
        .filter(Boolean)
        .map(cleanLine)
        .join('  '),
    )
    await writeOut(cli, `${lines.join('\n') || 'There is no route. Make one with "hermes webhook add".'}\n`)
    return 0
  },
}

/** No more of an address, whose path may be a secret. */
function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : URL.parse(url)?.origin
}
