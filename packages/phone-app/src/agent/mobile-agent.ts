import { HermesMobileClient, HermesProtocolError } from '@hermes/sdk/mobile'
import type { AgentMessage, MediaMessage, Prompt, PromptDone } from '@hermes/sdk/mobile'
import type { PhoneAgent } from './agent.ts'
import type { Activity, ChatItem } from './chat-item.ts'
import { createKeptFiles } from './kept-files.ts'
import { createKeptItems } from './kept-items.ts'
import { Refusal } from './refusal.ts'
import { createStore } from './store.ts'

export interface MobileAgentOptions {
  readonly url: string
  readonly token: string
  /** Stays the same on this phone. */
  readonly deviceId: string
  readonly deviceName: string
}

const activities: Readonly<Record<string, Activity>> = {
  thinking: 'thinking',
  working: 'working',
  speaking: 'speaking',
}

const outcomes: Readonly<Record<string, string>> = {
  once: 'Allowed once',
  session: 'Allowed for this conversation',
  always: 'Always allowed',
  deny: 'Denied',
  cancel: 'Cancelled',
}

/** The mobile protocol: one conversation, kept on the phone since the server tells only what is new. */
export function createMobileAgent({ url, token, deviceId, deviceName }: MobileAgentOptions): PhoneAgent {
  const kept = createKeptItems(deviceId)
  const store = createStore(kept.read())
  const user = { locale: navigator.language, tz: Intl.DateTimeFormat().resolvedOptions().timeZone }
  const client = new HermesMobileClient(
    url,
    token,
    { id: deviceId, name: deviceName, platform: 'web', appVersion: '1.0.0' },
    // A message counts as shown when it is on the phone for good.
    { user, acknowledge: false },
  )
  store.onChange(() => kept.write(store.state.items))
  const files = createKeptFiles()
  void files.ids().then((ids) => {
    const withFile = (item: ChatItem): ChatItem =>
      item.type === 'file' && !item.load && ids.has(item.id) ? { ...item, load: () => files.read(item.id) } : item
    store.set({ items: store.state.items.map(withFile) })
  })

  /** The card that was answered last; the refusal of an answer names none. */
  let answered: string | undefined

  function takeMessage({ id, text, index, final, edit }: AgentMessage): void {
    const present = store.find(id)
    const before = !edit && index > 0 && present?.type === 'message' ? present.text : ''
    const isDraft = !final
    // What is said between tools is never told to have ended.
    store.endDrafts(id)
    store.put({ type: 'message', id, from: 'agent', text: before + text, ...(isDraft && { isDraft }) })
    store.set({ activity: 'idle' })
    if (final) acknowledge(id)
  }

  function takeFile({ id, kind, data, mime, filename, caption, size }: MediaMessage): void {
    const shown = kind === 'voice' ? 'audio' : kind === 'animation' ? 'image' : kind
    const blob = new Blob([data.slice()], { type: mime })
    const name = filename || shown
    store.endDrafts()
    store.put({ type: 'file', id, from: 'agent', kind: shown, name, mime, caption, size, load: async () => blob })
    void files.put(id, blob).then(() => acknowledge(id))
  }

  function takeCard({ id, kind, text, options }: Prompt): void {
    // The first line says why; what would be run is shown letter by letter.
    const [reason = '', ...lines] = kind === 'exec_approval' ? text.split('\n') : [text]
    const card: ChatItem = {
      type: 'card',
      id,
      kind: kind === 'exec_approval' ? 'approval' : kind === 'slash_confirm' ? 'confirm' : 'question',
      text: lines.length > 0 ? reason.replace(/:$/, '') : reason,
      ...(lines.length > 0 && { command: lines.join('\n') }),
      options: options
        .filter((option) => option.id !== 'other')
        .map((option) => ({ ...option, style: styleOf(option.style, option.id) })),
      takesText: kind === 'clarify',
    }
    store.endDrafts()
    store.put(card)
  }

  function closeCard({ id, optionId, expired }: PromptDone): void {
    const card = store.find(id)
    if (card?.type !== 'card') return
    const chosen = card.options.find((option) => option.id === optionId)?.label
    const answered = chosen === undefined ? 'Answered' : `Answered: ${chosen}`
    const outcome = expired ? 'Not answered in time' : ((optionId && outcomes[optionId]) ?? answered)
    store.put({ ...card, outcome })
    acknowledge(id)
  }

  /** A card that nobody has closed here, since this phone was away for too long. */
  function closeLate(): void {
    const card = store.find(answered ?? '')
    if (card?.type === 'card' && card.outcome === undefined) store.put({ ...card, outcome: 'Not open any more' })
  }

  function acknowledge(id: string): void {
    kept.flush()
    client.acknowledge(id).catch(() => undefined)
  }

  function confirmSent(id: string): void {
    const item = store.find(id)
    if (item && 'isWaiting' in item) store.put({ ...item, isWaiting: false })
  }

  /** What the page was closed with before the gateway had it; it knows by the id what it has after all. */
  async function sendAgain(item: ChatItem): Promise<void> {
    const { id } = item
    try {
      if (item.type === 'message' && item.isWaiting) await client.sendText(item.text, id)
      if (item.type !== 'file' || !item.isWaiting) return
      const { name, mime, caption } = item
      const file = new File([await files.read(id)], name, { type: mime })
      await client.sendMedia(kindOf(mime), file, { messageId: id, ...(caption !== '' && { caption }) })
    } catch {
      confirmSent(id)
      store.put({ type: 'notice', id: `unsent-${id}`, text: 'Not everything was sent: send it again.' })
    }
  }

  client.on('ready', () => {
    store.set({ connection: 'connected', problem: undefined })
    // One that goes on grows again; the turn of another may have ended meanwhile.
    store.endDrafts()
  })
  client.on('disconnected', () => store.set({ connection: 'reconnecting', activity: 'idle' }))
  client.on('message', takeMessage)
  client.on('messageEdit', takeMessage)
  client.on('media', takeFile)
  client.on('confirmed', confirmSent)
  client.on('prompt', takeCard)
  client.on('promptDone', closeCard)
  client.on('typingStop', () => store.endDrafts())
  client.on('avatar', (state) => {
    const activity = activities[state] ?? 'idle'
    store.set({ activity })
    if (activity === 'idle') store.endDrafts()
  })
  client.on('typing', () => store.state.activity === 'idle' && store.set({ activity: 'thinking' }))
  client.on('error', ({ fatal, code, text }) => {
    if (fatal) store.set({ connection: 'refused', problem: text })
    else if (code === 'prompt_closed') closeLate()
    else store.put({ type: 'notice', id: crypto.randomUUID(), text })
  })

  return {
    get state() {
      return store.state
    },
    onChange: (listener) => store.onChange(listener),
    async connect() {
      try {
        await client.connect()
      } catch (error) {
        if (!(error instanceof HermesProtocolError)) throw error
        throw new Refusal(error.text, error.code === 'device_not_paired')
      }
      for (const item of store.state.items) void sendAgain(item)
    },
    close: () => client.close(),
    forget() {
      kept.forget()
      files.forget()
    },
    async send(text) {
      const id = crypto.randomUUID()
      store.put({ type: 'message', id, from: 'person', text, isWaiting: true })
      await client.sendText(text, id).catch((error: unknown) => {
        store.set({ items: store.state.items.filter((item) => item.id !== id) })
        throw error
      })
    },
    async answer(cardId, answer) {
      answered = cardId
      await client.answerPrompt(cardId, answer)
    },
    async stop() {
      await client.sendText('/stop')
    },
    async sendFile(file, caption) {
      const kind = kindOf(file.type)
      const id = crypto.randomUUID()
      const shown = { type: 'file', id, from: 'person', kind, name: file.name, mime: file.type, caption } as const
      store.put({ ...shown, size: file.size, load: async () => file, isWaiting: true })
      void files.put(id, file)
      await client.sendMedia(kind, file, { messageId: id, ...(caption !== '' && { caption }) })
    },
    async sendVoice(wav) {
      const id = crypto.randomUUID()
      const blob = new Blob([wav.slice()], { type: 'audio/wav' })
      const shown = {
        type: 'file',
        id,
        from: 'person',
        kind: 'audio',
        name: 'Voice message',
        mime: 'audio/wav',
      } as const
      store.put({ ...shown, caption: '', size: wav.length, load: async () => blob, isWaiting: true })
      void files.put(id, blob)
      await client.sendAudio(wav, 'wav', { messageId: id })
    },
    typing() {
      if (client.isConnected) client.sendTyping()
    },
  }
}

function styleOf(style: string, id: string): 'primary' | 'default' | 'danger' {
  if (style === 'primary' || style === 'danger') return style
  return id === 'deny' || id === 'cancel' ? 'danger' : 'default'
}

function kindOf(mime: string): 'image' | 'video' | 'audio' | 'document' {
  const [group] = mime.split('/')
  return group === 'image' || group === 'video' || group === 'audio' ? group : 'document'
}
