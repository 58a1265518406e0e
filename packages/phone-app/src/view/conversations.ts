import type { PhoneAgent } from '../agent/agent.ts'
import type { ChatState } from '../agent/chat-item.ts'
import { button, element } from './element.ts'
import { icon } from './icon.ts'

/** The list of conversations, as a dialog. */
export interface ConversationList {
  readonly element: HTMLDialogElement
  open(): void
  show(state: ChatState): void
}

export function createConversationList(
  conversations: NonNullable<PhoneAgent['conversations']>,
  onError: (error: unknown) => void,
): ConversationList {
  const entries = element('ul', { class: 'entries' })
  const begin = button('New conversation', { class: 'primary', onclick: () => act(conversations.create()) })
  const close = button('Close', { onclick: () => dialog.close() })
  const dialog = element(
    'dialog',
    { class: 'sheet', 'aria-labelledby': 'conversations-title' },
    element('h2', { id: 'conversations-title' }, 'Conversations'),
    entries,
    element('div', { class: 'options' }, begin, close),
  )
  const act = (work: Promise<void>) => void work.then(() => dialog.close()).catch(onError)

  function entry(id: string, name: string, isOpen: boolean): HTMLElement {
    const title = name === '' ? 'Untitled' : name
    const pick = button(title, {
      class: 'pick',
      'aria-current': isOpen ? 'true' : undefined,
      onclick: () => act(conversations.open(id)),
    })
    const rename = button(
      icon('edit'),
      {
        onclick: () => {
          const wanted = prompt('Name of the conversation', name)?.trim()
          if (wanted) void conversations.rename(id, wanted).catch(onError)
        },
      },
      `Rename ${title}`,
    )
    const remove = button(
      icon('remove'),
      {
        onclick: () => {
          if (confirm(`Delete “${title}” with all that was said in it?`)) void conversations.remove(id).catch(onError)
        },
      },
      `Delete ${title}`,
    )
    return element('li', {}, pick, rename, remove)
  }

  return {
    element: dialog,
    open: () => dialog.showModal(),
    show({ conversations: all, conversationId }) {
      entries.replaceChildren(...all.map(({ id, name }) => entry(id, name, id === conversationId)))
    },
  }
}
