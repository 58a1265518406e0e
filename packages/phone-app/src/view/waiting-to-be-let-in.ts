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
      element('p', { class: 'pairing' }, message),
      element('p', {}, 'This page goes on by itself then.'),
    ),
  )
}
