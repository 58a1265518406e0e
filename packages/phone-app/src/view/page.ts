import type { PhoneAgent } from '../agent/agent.ts'
import type { ChatState } from '../agent/chat-item.ts'
import { createComposer } from './composer.ts'
import { createConversationList } from './conversations.ts'
import { button, element } from './element.ts'
import { icon } from './icon.ts'
import { createItemList } from './items.ts'
import { createSettings } from './settings.ts'

/** How long a failure is shown, ms. */
const toastMs = 6_000

const connections = {
  connecting: 'Connecting …',
  connected: '',
  reconnecting: 'Connection lost, coming back …',
  refused: 'Not let in',
}
const activities = { idle: '', thinking: 'thinks …', working: 'works …', speaking: 'writes …' }

/** The whole page of a connected agent. */
export function showPage(place: HTMLElement, agent: PhoneAgent, forget: () => void): void {
  const status = element('p', { class: 'status', role: 'status' })
  const toast = element('p', { class: 'toast', role: 'alert', hidden: true })
  let toasting: ReturnType<typeof setTimeout> | undefined
  const onError = (error: unknown) => {
    toast.textContent = error instanceof Error ? error.message : String(error)
    toast.hidden = false
    clearTimeout(toasting)
    toasting = setTimeout(() => (toast.hidden = true), toastMs)
  }

  const items = createItemList(agent, onError)
  const composer = createComposer(agent, onError)
  const settings = createSettings(agent, { onError, forget })
  const conversations = agent.conversations && createConversationList(agent.conversations, onError)
  const title = element('h1', {}, 'Hermes')
  const menu = conversations ? [button(icon('menu'), { onclick: () => conversations.open() }, 'Conversations')] : []
  const header = element(
    'header',
    {},
    ...menu,
    element('div', { class: 'title' }, title, status),
    button(icon('settings'), { onclick: () => settings.open() }, 'Settings'),
  )
  place.replaceChildren(
    header,
    items.element,
    toast,
    composer.element,
    settings.element,
    ...(conversations ? [conversations.element] : []),
  )

  let shown: ChatState | undefined
  const draw = () => {
    const { state } = agent
    if (state.items !== shown?.items) items.show(state.items)
    conversations?.show(state)
    composer.show(state)
    title.textContent = state.conversations.find(({ id }) => id === state.conversationId)?.name || 'Hermes'
    status.textContent = state.problem ?? (connections[state.connection] || activities[state.activity])
    status.className = `status ${state.connection}`
    shown = state
  }
  // Drafts change many times between two pictures of the screen.
  let isAsked = false
  agent.onChange(() => {
    if (isAsked) return
    isAsked = true
    requestAnimationFrame(() => {
      isAsked = false
      draw()
    })
  })
  draw()
  composer.focus()
}
