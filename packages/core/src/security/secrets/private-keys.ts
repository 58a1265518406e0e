import type { HideRule } from './rule.ts'

const lineBreak = '(?:\\r?\\n|\\\\r\\\\n|\\\\n)'

/** How a private key begins. */
export const keyBegin = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g

/** Lines of base64, headers as encrypted keys have them, and empty lines; or one line, with a space for the break. */
const keyBody = new RegExp(
  `(?:${lineBreak}[ \\t]{0,64}(?:[A-Za-z0-9+/=]{1,8192}(?=[ \\t]{0,64}(?:${lineBreak}|["'\`]|-----|$))|[A-Za-z-]{1,20}: [^\\r\\n\\\\]{1,100}|(?=${lineBreak}))|(?: [A-Za-z0-9+/=]{40,8192})+)+`,
  'y',
)

/** Fewer characters of base64 are no key, but a text about keys. */
const minKeyChars = 16

/** PEM and PGP private keys, also cut off, and also within JSON. The lines around a key stay. */
export const hidePrivateKeys: HideRule = (text, hide) => {
  if (!text.includes('PRIVATE KEY')) return text
  let result = ''
  let done = 0
  for (const begin of text.matchAll(keyBegin)) {
    const from = begin.index + begin[0].length
    const to = endOfKeyBody(text, from)
    const secret = text.slice(from, to).replace(/\\[rn]|\s/g, '')
    if (secret.length < minKeyChars) continue
    result += text.slice(done, from) + hide(secret)
    done = to
  }
  return done === 0 ? text : result + text.slice(done)
}

/** Where the body of a key that begins before `from` ends; `from` where there is none. */
export function endOfKeyBody(text: string, from: number): number {
  keyBody.lastIndex = from
  return from + (keyBody.exec(text)?.[0].length ?? 0)
}
