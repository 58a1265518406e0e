import { PhebyClient, PhebyError } from '@hermes/sdk/pheby'
import type { PhebyAttachment, PhebyEvent, PhebyEvents } from '@hermes/sdk/pheby'
import type { PhoneAgent } from './agent.ts'
import type { ChatItem, ConversationEntry } from './chat-item.ts'
import { inOrder } from './in-order.ts'
import { approvalChoice, approvalOf, fileOf, outcomes, questionOf, toolOf } from './pheby-items.ts'
import type { EventOf } from './pheby-items.ts'
import { createStore } from './store.ts'

export interface PhebyAgentOptions {
  readonly url: string
  readonly secret: string
}

const lastOpenKey = 'hermes-last-conversation'

/** The Pheby protocol: many conversations, each told whole when it is opened. */
export function createPhebyAgent({ url, secret }: PhebyAgentOptions): PhoneAgent {
  const store = createStore()
  const client = new PhebyClient(url, secret)
  let runId: string | undefined
  /** What was answered here to the card that closes next. */
  let given: { readonly cardId: string; readonly words: string } | undefined

  const isOpen = (id: string | undefined) => id !== undefined && id === store.state.conversationId

  /** Adds to what is shown of the open conversation. */
  function on<Type extends PhebyEvent['type']>(type: Type, take: (event: PhebyEvents[Type]) => void): void {
    client.on(type, (event) => {
      const id = 'conversation_id' in event ? event.conversation_id : undefined
      if (isOpen(id)) take(event)
    })
  }

  const shownFile = (attachment: PhebyAttachment) => fileOf(attachment, () => client.downloadAttachment(attachment))
  const shownTool = (event: EventOf<'tool.event'>) => toolOf(event, store.find(event.tool_call_id))

  function setRun(id: string | undefined): void {
    runId = id
    store.set({ canStop: id !== undefined, activity: id === undefined ? 'idle' : 'thinking' })
  }

  function showHistory(snapshot: EventOf<'conversation.history'>): void {
    const { messages, attachments, run, tools, approvals, clarifications } = snapshot
    const said = messages.map(({ message_id: id, role, text, ts }) => {
      const item: ChatItem = { type: 'message', id, from: role === 'user' ? 'person' : 'agent', text }
      return { at: ts, item }
    })
    const files = attachments.map((attachment) => ({ at: attachment.created_at, item: shownFile(attachment) }))
    const calls = tools.map((tool) => ({ at: tool.ts, item: shownTool(tool) }))
    const beside = [...calls, ...files].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
    // What was shown of it is replaced as a whole.
    store.set({ items: inOrder(said, beside) })
    if (run && run.text !== '')
      store.put({ type: 'message', id: run.message_id, from: 'agent', text: run.text, isDraft: true })
    for (const approval of approvals) store.put(approvalOf(approval))
    for (const question of clarifications) store.put(questionOf(question))
    setRun(run?.run_id)
  }

  function outcomeOf(id: string, accepted: boolean): string {
    if (!accepted) return 'Not answered in time'
    return given?.cardId === id ? `Answered: ${given.words}` : 'Answered'
  }

  function close(id: string, outcome: string): void {
    const card = store.find(id)
    if (card?.type === 'card' && card.outcome === undefined) store.put({ ...card, outcome })
  }

  async function list(): Promise<readonly ConversationEntry[]> {
    const conversations = (await client.listConversations()).map(
      ({ conversation_id: id, name, last_active: lastActive }) => ({ id, name, lastActive: lastActive ?? undefined }),
    )
    store.set({ conversations })
    return conversations
  }

  async function open(id: string): Promise<void> {
    const { conversationId } = store.state
    if (conversationId !== undefined) client.unwatchConversation(conversationId)
    store.set({ conversationId: id, items: [], canStop: false, activity: 'idle' })
    localStorage.setItem(lastOpenKey, id)
    await client.watchConversation(id)
  }

  async function create(): Promise<void> {
    const { conversation_id: id } = await client.createConversation()
    await list()
    await open(id)
  }

  client.on('connected', () => {
    store.set({ connection: 'connected', problem: undefined })
    // Others may have changed them meanwhile.
    if (store.state.conversationId !== undefined) void list().catch(() => undefined)
  })
  client.on('disconnected', (error) =>
    store.set(error ? { connection: 'refused', problem: error.message } : { connection: 'reconnecting' }),
  )
  client.on('conversation.updated', () => void list().catch(() => undefined))
  client.on('conversation.renamed', () => void list().catch(() => undefined))
  client.on('conversation.deleted', ({ conversation_id: id }) => {
    void list()
      .then((left) => (isOpen(id) ? (left[0] ? open(left[0].id) : create()) : undefined))
      .catch(() => undefined)
  })
  on('conversation.history', showHistory)
  on('run.accepted', ({ run_id: id }) => setRun(id))
  on('message.delta', ({ message_id: id, text }) => {
    // Behind the tools that it has used.
    store.putLast({ type: 'message', id, from: 'agent', text, isDraft: true })
    store.set({ activity: 'speaking' })
  })
  on('message.complete', ({ message_id: id, text, kind }) => {
    if (kind === 'notice') store.put({ type: 'notice', id: `${id}-${text}`, text })
    else store.putLast({ type: 'message', id, from: 'agent', text })
  })
  on('run.finished', ({ status, error, run_id: id }) => {
    // A notice has told it mostly.
    const last = store.state.items.at(-1)
    const isTold = last?.type === 'notice' && error !== undefined && last.text.includes(error)
    if (status === 'failed' && !isTold) store.put({ type: 'notice', id: `failed-${id}`, text: error ?? 'It failed.' })
    if (status === 'cancelled') store.put({ type: 'notice', id: `stopped-${id}`, text: 'Stopped.' })
    // What was said until a run was stopped stays.
    store.endDrafts()
    if (runId === id) setRun(undefined)
  })
  on('tool.event', (event) => {
    store.put(shownTool(event))
    if (event.status === 'running') store.set({ activity: 'working' })
  })
  on('approval.request', (event) => store.put(approvalOf(event)))
  on('clarify.request', (event) => store.put(questionOf(event)))
  on('attachment.added', ({ attachment }) => store.put(shownFile(attachment)))
  client.on('approval.resolved', ({ approval_id: id, choice, accepted }) =>
    close(id, accepted ? outcomes[choice] : 'Not answered in time'),
  )
  client.on('clarify.resolved', ({ clarify_id: id, accepted }) => close(id, outcomeOf(id, accepted)))

  const here = () => store.state.conversationId
  return {
    get state() {
      return store.state
    },
    onChange: (listener) => store.onChange(listener),
    async connect() {
      await client.connect()
      const conversations = await list()
      const last = localStorage.getItem(lastOpenKey)
      const first = conversations.find(({ id }) => id === last) ?? conversations[0]
      await (first ? open(first.id) : create())
    },
    close: () => client.close(),
    forget: () => localStorage.removeItem(lastOpenKey),
    async send(text) {
      const id = here()
      if (id === undefined) throw new Error('No conversation is open.')
      const shown = { type: 'message', id: crypto.randomUUID(), from: 'person', text } as const
      await client.send(id, text).catch((error: unknown) => {
        if (error instanceof PhebyError && error.code === 'run_active') {
          throw new Error('The agent is still at work. Stop it, or wait.', { cause: error })
        }
        throw error
      })
      insertBeforeDraft(shown)
    },
    async answer(cardId, { optionId, text }) {
      const card = store.find(cardId)
      if (card?.type !== 'card') return
      if (card.kind === 'approval') await client.respondApproval(cardId, approvalChoice(optionId))
      else {
        const words = text ?? optionId ?? ''
        given = { cardId, words }
        await client.respondClarify(cardId, words)
      }
    },
    async stop() {
      const [id, run] = [here(), runId]
      if (id !== undefined && run !== undefined) await client.cancel(id, run)
    },
    conversations: {
      open,
      create,
      async rename(id, name) {
        await client.renameConversation(id, name)
      },
      async remove(id) {
        await client.deleteConversation(id)
      },
    },
    models: {
      async list() {
        const { providers, current_model: model, current_provider: provider } = await client.listModels(here())
        const groups = providers.map(({ slug, name, models }) => ({ provider: slug, label: name, models }))
        return { groups, model, provider }
      },
      async choose(provider, model) {
        const conversationId = here()
        await client.setModel(model, { provider, ...(conversationId !== undefined && { conversationId }) })
      },
    },
    reasoning: {
      async read() {
        const { effort, supported_efforts: efforts } = await client.currentReasoning(here())
        return { efforts, effort: effort ?? '' }
      },
      async choose(effort) {
        const { efforts } = await this.read()
        const known = efforts.find((one) => one === effort)
        if (known !== undefined) await client.setReasoning(known as Parameters<typeof client.setReasoning>[0], here())
      },
    },
  }

  /** The draft of the answer may be there already. */
  function insertBeforeDraft(item: ChatItem): void {
    const { items } = store.state
    const at = items.findLastIndex((one) => one.type === 'message' && one.isDraft === true)
    store.set({ items: at === -1 ? [...items, item] : items.toSpliced(at, 0, item) })
  }
}
