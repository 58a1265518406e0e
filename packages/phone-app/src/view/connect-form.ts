import { element } from './element.ts'

/** Asks for the token. Resolves when the person has given one. */
export function askToken(
  place: HTMLElement,
  { label, problem }: { readonly label: string; readonly problem?: string },
): Promise<string> {
  return new Promise((resolve) => {
    const input = element('input', { type: 'password', id: 'token', autocomplete: 'current-password', required: true })
    const submit = (event: Event) => {
      event.preventDefault()
      if (input.value.trim() !== '') resolve(input.value.trim())
    }
    const form = element(
      'form',
      { class: 'connect', onsubmit: submit },
      element('h1', {}, 'Hermes'),
      element('p', {}, 'Scan the code that “hermes gateway setup” shows, or enter what stands in the agent’s .env.'),
      ...(problem === undefined ? [] : [element('p', { role: 'alert', class: 'problem' }, problem)]),
      element('label', { for: 'token' }, label),
      input,
      element('button', { type: 'submit', class: 'primary' }, 'Connect'),
    )
    place.replaceChildren(form)
    input.focus()
  })
}
