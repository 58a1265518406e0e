import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { askService } from './ask-service.ts'
import type { CheckResult, PlatformFacts } from './platform-facts.ts'

/** https://docs.slack.dev/reference/methods/auth.test */
const answerOf = lazily(() =>
  z.union([
    z.looseObject({ ok: z.literal(true), user: z.string().optional(), team: z.string().optional() }),
    z.looseObject({ ok: z.literal(false), error: z.string() }),
  ]),
)

const startsWith = (start: string) => (value: string) =>
  value.split(',').every((one) => one.trim().startsWith(start)) ? undefined : `it begins with ${start}`

export const slack: PlatformFacts = {
  name: 'slack',
  label: 'Slack',
  accessPrefix: 'SLACK',
  accessProblem: (person) =>
    /^[UW][A-Z0-9]+$/.test(person)
      ? undefined
      : `people are named by their member ID, such as U01234567 (profile, "Copy member ID"), not "${person}"`,
  steps: [
    'At https://api.slack.com/apps make an app for your workspace.',
    'Switch Socket Mode on; make an app-level token with the scope connections:write (xapp-…).',
    'Bot scopes: chat:write, app_mentions:read, channels:history, channels:read, groups:history, im:history, im:read, im:write, users:read, files:read, files:write, reactions:write.',
    'Events of the bot: message.im, message.channels, message.groups, app_mention. Slash command: /hermes. Switch the Messages Tab on.',
    'Install the app, copy the bot token (xoxb-…), and invite the bot into its channels.',
  ],
  variables: [
    { name: 'SLACK_BOT_TOKEN', what: 'bot token', isSecret: true, isRequired: true, problem: startsWith('xoxb-') },
    {
      name: 'SLACK_APP_TOKEN',
      what: 'app-level token',
      isSecret: true,
      isRequired: true,
      problem: startsWith('xapp-'),
    },
    { name: 'SLACK_HOME_CHANNEL', what: 'channel where notices and results of jobs go, by id' },
  ],
  async check(values, { apiRoot = 'https://slack.com/api', signal }) {
    const ask = (method: string, kind: string, token: string | undefined): Promise<CheckResult> =>
      askService(
        {
          url: `${apiRoot}/${method}`,
          method: 'POST',
          headers: { authorization: `Bearer ${token?.split(',')[0]?.trim() ?? ''}` },
          read(_status, answer) {
            const said = answerOf().parse(answer)
            return said.ok
              ? { state: 'accepted', account: [said.user, said.team].filter(Boolean).join(' in ') }
              : {
                  state: 'refused',
                  reason: `Slack says of ${method}: ${said.error}. Copy the ${kind} token anew at api.slack.com/apps.`,
                }
          },
        },
        signal,
      )
    const bot = await ask('auth.test', 'bot', values['SLACK_BOT_TOKEN'])
    if (bot.state !== 'accepted') return bot
    const app = await ask('apps.connections.open', 'app-level', values['SLACK_APP_TOKEN'])
    return app.state === 'accepted' ? bot : app
  },
}
