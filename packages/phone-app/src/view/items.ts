import type { PhoneAgent } from '../agent/agent.ts'
import type { ChatItem } from '../agent/chat-item.ts'
import { element } from './element.ts'
import { cardElement } from './card.ts'
import { fileElement } from './file.ts'
import { markdown } from './markdown.ts'

/** Nearer to its end than this the list follows what comes, CSS pixels. */
const followPx = 120

/** The conversation. Only what changed is drawn anew. */
export interface ItemList {
  readonly element: HTMLElement
  show(items: readonly ChatItem[]): void
}

export function createItemList(agent: PhoneAgent, onError: (error: unknown) => void): ItemList {
  const list = element('div', { class: 'items', role: 'log', 'aria-label': 'Conversation', tabindex: 0 })
  let [follows, top] = [true, 0]
  const goToEnd = () => (list.scrollTop = list.scrollHeight)
  list.addEventListener('scroll', () => {
    if (list.scrollHeight - list.scrollTop - list.clientHeight < followPx) follows = true
    // Whoever goes up wants to read there; what grows below moves nobody.
    else if (list.scrollTop < top) follows = false
    top = list.scrollTop
  })
  // Pictures and players have their height only when they are there; these events do not bubble.
  for (const arrival of ['load', 'loadedmetadata']) list.addEventListener(arrival, () => follows && goToEnd(), true)
  const shown = new Map<string, { readonly item: ChatItem; readonly row: HTMLElement }>()

  function draw(item: ChatItem): HTMLElement {
    switch (item.type) {
      case 'message':
        return messageElement(item)
      case 'notice':
        return element('p', { class: 'notice' }, item.text)
      case 'tool':
        return toolElement(item)
      case 'file':
        return fileElement(item, onError)
      case 'card':
        return cardElement(item, (answer) => agent.answer(item.id, answer), onError)
    }
  }

  return {
    element: list,
    show(items) {
      // Whoever writes wants to see the answer.
      const last = items.at(-1)
      if (last && 'from' in last && last.from === 'person' && !shown.has(last.id)) follows = true
      const ids = new Set(items.map(({ id }) => id))
      for (const [id, { row }] of shown) {
        if (ids.has(id)) continue
        row.remove()
        shown.delete(id)
      }
      // What goes to the end goes itself: an element that is moved loses the focus.
      const lastRow = shown.get(last?.id ?? '')?.row
      if (lastRow && lastRow !== list.lastElementChild) list.append(lastRow)
      let before: Element | null = null
      for (const item of items) {
        const present = shown.get(item.id)
        const row = present?.row ?? element('div', { 'data-id': item.id, tabindex: -1 })
        if (present && isConfirmed(present.item, item)) {
          row.querySelector('.waiting')?.remove()
          shown.set(item.id, { item, row })
        } else if (present?.item !== item) {
          row.className = `item ${item.type}${'from' in item ? ` ${item.from}` : ''}`
          row.replaceChildren(draw(item))
          shown.set(item.id, { item, row })
        }
        const next: Element | null = before ? before.nextElementSibling : list.firstElementChild
        if (next !== row) list.insertBefore(row, next)
        before = row
      }
      if (follows) goToEnd()
    },
  }
}

/** Whether nothing has changed but that it is sent now: a picture is not loaded anew for that. */
function isConfirmed(before: ChatItem, item: ChatItem): boolean {
  if (!('isWaiting' in before) || !before.isWaiting) return false
  return JSON.stringify({ ...before, isWaiting: false }) === JSON.stringify(item)
}

function messageElement({ from, text, isDraft, isWaiting }: Extract<ChatItem, { type: 'message' }>): HTMLElement {
  const who = element('span', { class: 'who' }, from === 'person' ? 'You' : 'Hermes')
  const body = element('div', { class: 'text', 'aria-busy': isDraft === true })
  if (from === 'agent') body.append(markdown(text))
  else body.append(text)
  const waiting = isWaiting ? [element('span', { class: 'waiting' }, 'not sent yet')] : []
  return element('div', { class: 'bubble' }, who, body, ...waiting)
}

const marks = { running: '…', completed: '✓', failed: '✗', cancelled: '–' } as const

function toolElement({ name, status, detail }: Extract<ChatItem, { type: 'tool' }>): HTMLElement {
  const summary = element('summary', {}, `${marks[status]} ${name}`, element('span', { class: 'status' }, status))
  return element('details', { class: 'tool-call' }, summary, element('code', {}, detail))
}
