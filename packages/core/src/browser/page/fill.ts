import { z } from 'zod'
import { BrowserError } from '../browser-error.ts'
import type { PageElement } from './element.ts'
import { pressKey } from './keys.ts'
import { callOn, locate } from './locate.ts'
import type { Page } from './page.ts'

/** What kind of field an element is. `set`: it was filled at once, since nothing can be typed into it. */
export type FieldKind = 'text' | 'set' | 'file' | 'password'

const begun = z.object({
  kind: z.enum(['text', 'set', 'file', 'password', 'none', 'locked', 'no-choice']),
  choices: z.array(z.string()),
})

/** What an element takes, with nothing done to it. */
export async function isFileField(element: PageElement, signal: AbortSignal): Promise<boolean> {
  const code = 'function () { return this.tagName === "INPUT" && this.type === "file" }'
  return callOn(element, { code, result: z.boolean() }, signal)
}

/** Empties a field and writes a text into it, as by typing; chooses in a list; sets a date. Throws `BrowserError`. */
export async function fill(
  page: Page,
  { element, text }: { readonly element: PageElement; readonly text: string },
  signal: AbortSignal,
): Promise<FieldKind> {
  await locate(element, {}, signal)
  const { kind, choices } = await callOn(element, { code: beginField, args: [text], result: begun }, signal)
  const shown = `@${element.ref} (${element.role} "${element.name}")`
  if (kind === 'none') throw new BrowserError('not-usable', `${shown} is no field that takes text.`)
  if (kind === 'locked') throw new BrowserError('not-usable', `${shown} is read-only or disabled.`)
  if (kind === 'no-choice') {
    throw new BrowserError('not-usable', `${shown} has no choice "${text}". It has: ${choices.join(', ')}.`)
  }
  if (kind === 'set') return kind
  // Everything is selected, so that the text takes its place.
  if (text === '') await pressKey(page, 'Backspace')
  else await page.act(page.session.send('Input.insertText', { text }))
  return kind
}

const beginField = `function (text) {
  const answer = (kind, choices = []) => ({ kind, choices })
  let field = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement
  if (field.tagName === 'LABEL' && field.control) field = field.control
  const told = (...names) => { for (const name of names) field.dispatchEvent(new Event(name, { bubbles: true, composed: true })) }
  if (field.tagName === 'SELECT') {
    const wanted = text.trim().toLowerCase()
    const options = [...field.options]
    const found = options.find((one) => one.label.trim().toLowerCase() === wanted) ?? options.find((one) => one.value.toLowerCase() === wanted)
    if (field.disabled) return answer('locked')
    if (!found) return answer('no-choice', options.slice(0, 40).map((one) => one.label.trim()))
    field.focus()
    if (field.multiple) found.selected = true
    else field.value = found.value
    told('input', 'change')
    return answer('set')
  }
  const isInput = field.tagName === 'INPUT' || field.tagName === 'TEXTAREA'
  if (!isInput && !field.isContentEditable) return answer('none')
  if (isInput && (field.disabled || field.readOnly)) return answer('locked')
  if (isInput && ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden'].includes(field.type)) return answer('none')
  if (field.type === 'file') return answer('file')
  field.focus()
  if (isInput && ['color', 'date', 'datetime-local', 'month', 'range', 'time', 'week'].includes(field.type)) {
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    set.call(field, text)
    if (text !== '' && field.value === '') return answer('no-choice', ['values in the form of ' + field.type])
    told('input', 'change')
    return answer('set')
  }
  if (isInput) field.select()
  else {
    const selection = getSelection()
    selection.removeAllRanges()
    const range = document.createRange()
    range.selectNodeContents(field)
    selection.addRange(range)
  }
  return answer(field.type === 'password' ? 'password' : 'text')
}`
