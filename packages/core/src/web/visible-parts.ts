import { hidesElement } from '../security/injection/hidden-style.ts'
import type { PageDocument, PageElement } from './page-document.ts'

/** What is no text of the page, or not shown by it. */
const dropped =
  'script,style,noscript,template,iframe,object,embed,canvas,svg,dialog:not([open]),input,select,button,link,' +
  'meta[http-equiv],[hidden],[aria-hidden="true"]'

/** Takes out of a page what people do not see, makes its links whole, and drops pictures that stand in it as data. */
export function keepVisibleParts(page: PageDocument, url: string): void {
  for (const element of page.querySelectorAll(dropped)) element.remove()
  for (const element of page.querySelectorAll('[style]')) {
    if (hidesElement(element.getAttribute('style') ?? '')) element.remove()
  }
  const base = URL.parse(page.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
  for (const element of page.querySelectorAll('[href]')) makeWhole(element, 'href', base)
  for (const element of page.querySelectorAll('img')) {
    const kept = makeWhole(element, 'src', base)
    if (!kept) element.remove()
  }
}

function makeWhole(element: PageElement, name: 'href' | 'src', base: string): boolean {
  const target = URL.parse(element.getAttribute(name) ?? '', base)
  const isUseful = target !== null && /^(?:https?|mailto):$/.test(target.protocol)
  if (isUseful) element.setAttribute(name, target.href)
  else element.removeAttribute(name)
  return isUseful
}
