/** What an element is made with: attributes, and handlers whose names begin with `on`. */
export interface Properties {
  readonly [name: string]: string | number | boolean | undefined | ((event: Event) => void)
}

/** Makes an element. Text is text: nothing is ever read as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') made.addEventListener(key.slice(2), value)
    else if (key.startsWith('aria-') && value !== undefined) made.setAttribute(key, String(value))
    else if (value === true) made.setAttribute(key, '')
    else if (value !== undefined && value !== false) made.setAttribute(key, String(value))
  }
  made.append(...children)
  return made
}

/** A button; `label` is what a screen reader says where the text does not tell. */
export function button(content: Node | string, properties: Properties, label?: string): HTMLButtonElement {
  return element(
    'button',
    { type: 'button', ...(label !== undefined && { 'aria-label': label, title: label }), ...properties },
    content,
  )
}
