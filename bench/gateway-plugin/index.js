// The platform of the bench: messages by long poll, answers by POST, no limits of its own.
export default function makePlatform({ PlatformError }) {
  return {
    name: 'bench',
    label: 'Bench',
    variablePrefix: 'BENCH',
    promptHint: '',
    limits: { maxLength: 4_000 },
    read: (_config, { BENCH_URL: url }) => (url ? { state: 'ready', settings: { url } } : { state: 'absent' }),
    async connect({ url }, host) {
      const ending = new AbortController()
      const closed = Promise.withResolvers()
      const poll = async () => {
        while (!ending.signal.aborted) {
          const response = await fetch(`${url}/updates`, { signal: ending.signal })
          for (const { id, chat, text } of await response.json()) {
            const source = { platform: 'bench', account: 'bot', chatId: chat, chatType: 'dm', userId: chat }
            void host.receive({ eventId: id, messageId: id, source, text, attachments: [], sentAt: Date.now() })
          }
        }
      }
      poll().catch((error) => closed.resolve(error))
      return {
        account: 'bot',
        rates: { perSecond: 100_000, perChatSecond: 100_000 },
        closed: closed.promise,
        async send(chat, part, { key }, signal) {
          const body = JSON.stringify({ key, chat: chat.chatId, text: part.text })
          const response = await fetch(`${url}/posts`, { method: 'POST', body, signal })
          if (!response.ok) throw new PlatformError('uncertain', `status ${response.status}`)
          await response.text()
          return { chat, messageId: key }
        },
        async [Symbol.asyncDispose]() {
          ending.abort()
        },
      }
    },
  }
}
