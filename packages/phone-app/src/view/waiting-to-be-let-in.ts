import { element } from './element.ts'

/** What is to be done until this phone is let in; the page goes on by itself then. */
export function showWaiting(place: HTMLElement, message: string): void {
  // What stays the same is not read out again.
  if (place.querySelector('.pairing')?.textContent === message) return
  place.replaceChildren(
    element(
      'section',
      { class: 'connect', role: 'status' },
      element('h1', {}, 'Hermes'),
      element('div', { class: 'pairing' }, ...withCommand(message)),
      element('p', {}, 'This page goes on by itself then.'),
    ),
  )
}

/** The command of a message stands apart, to be read letter by letter. */
function withCommand(message: string): readonly HTMLElement[] {
  const at = message.indexOf('hermes pairing')
  if (at === -1) return [element('p', {}, message)]
  return [element('p', {}, message.slice(0, at)), element('pre', {}, element('code', {}, message.slice(at)))]
}
