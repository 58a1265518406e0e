// A chat platform in one file. It speaks to a service with four calls:
//   GET  /me        {name}: whom the token belongs to
//   GET  /unread    waits for messages, then lists them: [{id, chat, group?, user, name?, text}]
//   POST /read      {id}: that one need not be given again
//   POST /messages  {key, chat, text, reply_to?}: {id}; a key that it has seen is not shown twice
// Copy the folder to ~/.hermes/plugins/relay, set RELAY_URL, RELAY_TOKEN and RELAY_ALLOWED_USERS in ~/.hermes/.env, and
// start the gateway.

/** Longest that one call may take, ms. */
const callMs = 30_000

/** @param {{ version: 1, PlatformError: new (code: string, message: string, more?: object) => Error }} api */
export default function makePlatform({ PlatformError }) {
  return {
    name: 'relay',
    label: 'Relay',
    variablePrefix: 'RELAY',
    promptHint: 'You write in a chat that shows plain text: no Markdown.',
    limits: { maxLength: 2_000 },

    // Reads settings only; asks no server.
    read(config, environment) {
      const extra = config.platforms.relay?.extra ?? {}
      const url = extra.url ?? environment.RELAY_URL
      const token = environment.RELAY_TOKEN
      if (!url && !token) return { state: 'absent' }
      if (!url) return { state: 'incomplete', reason: 'RELAY_URL is missing: where the service is.' }
      if (!token) return { state: 'incomplete', reason: 'RELAY_TOKEN is missing: what the service lets you in with.' }
      return { state: 'ready', settings: { url: String(url).replace(/\/$/, ''), token } }
    },

    async connect(settings, host, signal) {
      const ending = new AbortController()
      const closed = Promise.withResolvers()
      // Fails here where the token is wrong, so that the person is told at once.
      const { name: account } = await call('/me', { signal })
      void poll().catch((error) => closed.resolve(error))

      async function poll() {
        while (!ending.signal.aborted) {
          for (const message of await call('/unread', { signal: ending.signal })) {
            // Resolves when the message is on disk. Only then the service may forget it.
            await host.receive({
              eventId: String(message.id),
              messageId: String(message.id),
              source: {
                platform: 'relay',
                account,
                chatId: String(message.chat),
                chatType: message.group ? 'group' : 'dm',
                userId: String(message.user),
                ...(message.name && { userName: message.name }),
              },
              text: String(message.text),
              attachments: [],
              sentAt: host.clock.now(),
            })
            await call('/read', { body: { id: message.id }, signal: ending.signal })
          }
        }
      }

      async function call(path, { body, signal: given }) {
        let response
        try {
          response = await fetch(settings.url + path, {
            method: body ? 'POST' : 'GET',
            headers: { authorization: `Bearer ${settings.token}`, 'content-type': 'application/json' },
            ...(body && { body: JSON.stringify(body) }),
            signal: AbortSignal.any([given, AbortSignal.timeout(callMs)]),
          })
        } catch (error) {
          // What was being sent may have arrived; what was asked for can be asked for again.
          throw new PlatformError(body ? 'uncertain' : 'unreachable', 'The service does not answer.', { cause: error })
        }
        if (response.ok) return response.json()
        if (response.status === 401) throw new PlatformError('unauthorised', 'RELAY_TOKEN is no good.')
        if (response.status === 429) {
          const retryAfterMs = Number(response.headers.get('retry-after') ?? 1) * 1_000
          throw new PlatformError('rate-limited', 'The service wants fewer calls.', { retryAfterMs })
        }
        throw new PlatformError(
          response.status < 500 ? 'refused' : 'unreachable',
          `The service says ${response.status}.`,
        )
      }

      return {
        account,
        rates: { perSecond: 20, perChatSecond: 5 },
        closed: closed.promise,
        async send(to, part, { key, replyTo }, sending) {
          if (part.type !== 'text') throw new PlatformError('refused', 'This service takes no files.')
          const { id } = await call('/messages', {
            body: { key, chat: to.chatId, text: part.text, ...(replyTo && { reply_to: replyTo }) },
            signal: sending,
          })
          return { chat: to, messageId: String(id) }
        },
        async [Symbol.asyncDispose]() {
          ending.abort()
        },
      }
    },
  }
}
