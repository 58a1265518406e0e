import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { askService } from './ask-service.ts'
import type { PlatformFacts } from './platform-facts.ts'

/** https://core.telegram.org/bots/api#getme */
const me = lazily(() =>
  z.union([
    z.looseObject({ ok: z.literal(true), result: z.looseObject({ username: z.string() }) }),
    z.looseObject({ ok: z.literal(false), description: z.string().default('') }),
  ]),
)

export const telegram: PlatformFacts = {
  name: 'telegram',
  label: 'Telegram',
  accessPrefix: 'TELEGRAM',
  accessBy: 'by number',
  accessProblem: (person) =>
    /^\d+$/.test(person) ? undefined : `people are named by their number, which @userinfobot tells, not "${person}"`,
  steps: [
    'Write to @BotFather on Telegram: /newbot, a name, and a user name that ends in "bot". It answers with a token.',
    'For groups: /setprivacy at @BotFather, "Disable", then add the bot; else it sees only commands, replies and mentions.',
    'Your own number, for who may speak to it: ask @userinfobot.',
  ],
  variables: [
    {
      name: 'TELEGRAM_BOT_TOKEN',
      what: 'token of @BotFather',
      isSecret: true,
      isRequired: true,
      problem: (value) => (/^\d+:[\w-]{10,}$/.test(value) ? undefined : 'a token looks like 123456:ABC-…'),
    },
    { name: 'TELEGRAM_HOME_CHANNEL', what: 'chat where notices and results of jobs go, by number' },
  ],
  check: ({ TELEGRAM_BOT_TOKEN: token = '' }, { apiRoot = 'https://api.telegram.org', signal }) =>
    askService(
      {
        url: `${apiRoot}/bot${token}/getMe`,
        read(_status, answer) {
          const said = me().parse(answer)
          return said.ok
            ? { state: 'accepted', account: `@${said.result.username}` }
            : { state: 'refused', reason: `Telegram says: ${said.description}. Copy the token anew from @BotFather.` }
        },
      },
      signal,
    ),
}
