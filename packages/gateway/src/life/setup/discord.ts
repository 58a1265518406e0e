import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { askService } from './ask-service.ts'
import type { PlatformFacts } from './platform-facts.ts'

/** https://discord.com/developers/docs/resources/user#get-current-user */
const user = lazily(() => z.looseObject({ username: z.string() }))
const refusal = lazily(() => z.looseObject({ message: z.string() }))

export const discord: PlatformFacts = {
  name: 'discord',
  label: 'Discord',
  accessPrefix: 'DISCORD',
  accessBy: 'by id or unique name',
  steps: [
    'At https://discord.com/developers/applications make an application; under "Bot", reset the token and copy it.',
    'There, switch on the privileged intents "Message Content" and "Server Members".',
    'Under "OAuth2", make an invitation with the scopes bot and applications.commands and the permissions 274878286912.',
    'Open the invitation and add the bot to your server. Ids: switch on developer mode, then "Copy ID".',
  ],
  variables: [
    { name: 'DISCORD_BOT_TOKEN', what: 'token of the bot', isSecret: true, isRequired: true },
    { name: 'DISCORD_HOME_CHANNEL', what: 'channel where notices and results of jobs go, by id' },
  ],
  check: ({ DISCORD_BOT_TOKEN: token = '' }, { apiRoot = 'https://discord.com/api', signal }) =>
    askService(
      {
        url: `${apiRoot}/v10/users/@me`,
        headers: { authorization: `Bot ${token}` },
        read: (status, answer) =>
          status === 200
            ? { state: 'accepted', account: user().parse(answer).username }
            : {
                state: 'refused',
                reason: `Discord says: ${refusal().parse(answer).message}. Copy the token anew from the developer portal ("Reset Token").`,
              },
      },
      signal,
    ),
}
