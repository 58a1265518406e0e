import type { ChatItem } from '../agent/chat-item.ts'
import { button, element } from './element.ts'

type Card = Extract<ChatItem, { type: 'card' }>
type Answer = (answer: { readonly optionId?: string; readonly text?: string }) => Promise<void>

const titles = { approval: 'Needs your consent', confirm: 'Please confirm', question: 'A question' } as const

/** A question of the agent with its answers, or how it ended. */
export function cardElement(card: Card, answer: Answer, onError: (error: unknown) => void): HTMLElement {
  const { id, kind, text, command, options, takesText, outcome } = card
  const title = element('h2', { id: `card-${id}` }, titles[kind])
  const box = element(
    'section',
    { class: `card ${kind}`, 'aria-labelledby': `card-${id}` },
    title,
    element('p', {}, text),
  )
  if (command !== undefined) box.append(element('pre', { tabindex: 0 }, element('code', {}, command)))
  if (outcome !== undefined) {
    box.append(element('p', { class: 'outcome' }, outcome))
    return box
  }
  const controls = element('div', { class: 'options' })
  // One answer is enough; when it does not arrive it can be given again.
  const give = async (given: Parameters<Answer>[0]) => {
    // The buttons go with the answer; whoever pressed one by keyboard stays here.
    if (box.contains(document.activeElement)) box.parentElement?.focus()
    box.inert = true
    try {
      await answer(given)
    } catch (error) {
      box.inert = false
      onError(error)
    }
  }
  for (const option of options) {
    controls.append(button(option.label, { class: option.style, onclick: () => void give({ optionId: option.id }) }))
  }
  box.append(controls)
  if (takesText) box.append(ownWords(give))
  return box
}

function ownWords(
  give: (answer: { readonly optionId?: string; readonly text?: string }) => Promise<void>,
): HTMLElement {
  const input = element('input', { type: 'text', 'aria-label': 'Your own answer', placeholder: 'Your own answer' })
  const submit = (event: Event) => {
    event.preventDefault()
    const text = input.value.trim()
    if (text !== '') void give({ optionId: 'other', text })
  }
  return element('form', { class: 'own', onsubmit: submit }, input, element('button', { type: 'submit' }, 'Answer'))
}
