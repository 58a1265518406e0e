import { BrowserError } from '../browser-error.ts'
import type { Page } from './page.ts'

interface Key {
  readonly key: string
  readonly code: string
  readonly keyCode: number
  /** What it writes. */
  readonly text?: string
}

const named: readonly Key[] = [
  { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r' },
  { key: 'Tab', code: 'Tab', keyCode: 9 },
  { key: 'Escape', code: 'Escape', keyCode: 27 },
  { key: 'Backspace', code: 'Backspace', keyCode: 8 },
  { key: 'Delete', code: 'Delete', keyCode: 46 },
  { key: 'Insert', code: 'Insert', keyCode: 45 },
  { key: 'ArrowLeft', code: 'ArrowLeft', keyCode: 37 },
  { key: 'ArrowUp', code: 'ArrowUp', keyCode: 38 },
  { key: 'ArrowRight', code: 'ArrowRight', keyCode: 39 },
  { key: 'ArrowDown', code: 'ArrowDown', keyCode: 40 },
  { key: 'Home', code: 'Home', keyCode: 36 },
  { key: 'End', code: 'End', keyCode: 35 },
  { key: 'PageUp', code: 'PageUp', keyCode: 33 },
  { key: 'PageDown', code: 'PageDown', keyCode: 34 },
  { key: ' ', code: 'Space', keyCode: 32, text: ' ' },
  ...Array.from({ length: 12 }, (_, at) => ({ key: `F${at + 1}`, code: `F${at + 1}`, keyCode: 112 + at })),
]

const aliases: Readonly<Record<string, string>> = {
  return: 'Enter',
  esc: 'Escape',
  space: ' ',
  del: 'Delete',
  left: 'ArrowLeft',
  up: 'ArrowUp',
  right: 'ArrowRight',
  down: 'ArrowDown',
}

/** Bits of the protocol. */
const modifiers: Readonly<Record<string, number>> = {
  alt: 1,
  control: 2,
  ctrl: 2,
  meta: 4,
  command: 4,
  cmd: 4,
  shift: 8,
}

/** What a key that moves or edits text does with Control, which a browser without a desktop does not know by itself. */
const editing: Readonly<Record<string, string>> = {
  a: 'selectAll',
  c: 'copy',
  v: 'paste',
  x: 'cut',
  z: 'undo',
  y: 'redo',
}

/** Presses a key (`Enter`, `a`) or several (`Control+A`). Throws `BrowserError` for what is no key. */
export async function pressKey(page: Page, written: string): Promise<void> {
  const { key, flags } = parseKey(written)
  const isPlain = (flags & ~8) === 0
  const command = (flags & 6) === 0 ? undefined : editing[key.key.toLowerCase()]
  const event = {
    key: key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
    modifiers: flags,
  }
  const send = (params: Readonly<Record<string, unknown>>) => page.session.send('Input.dispatchKeyEvent', params)
  const text = isPlain ? key.text : undefined
  await page.act(
    (async () => {
      await send({
        ...event,
        type: text === undefined ? 'rawKeyDown' : 'keyDown',
        ...(text !== undefined && { text }),
        ...(command !== undefined && { commands: [command] }),
      })
      await send({ ...event, type: 'keyUp' })
    })(),
  )
}

function parseKey(written: string): { readonly key: Key; readonly flags: number } {
  // The last plus may be the key itself.
  const parts = written === '+' ? ['+'] : written.split(/\+(?=.)/)
  const last = parts.pop() ?? ''
  let flags = 0
  for (const part of parts) {
    const bit = modifiers[part.trim().toLowerCase()]
    if (bit === undefined) throw unknownKey(written)
    flags |= bit
  }
  const key = keyOf(last === ' ' ? last : last.trim())
  if (!key) throw unknownKey(written)
  return { key, flags }
}

function keyOf(name: string): Key | undefined {
  const wanted = (aliases[name.toLowerCase()] ?? name).toLowerCase()
  const known = named.find(({ key }) => key.toLowerCase() === wanted)
  if (known || !/^.$/su.test(name)) return known
  const upper = name.toUpperCase()
  const isLetter = /^[A-Z]$/.test(upper)
  const code = isLetter ? `Key${upper}` : /^\d$/.test(name) ? `Digit${name}` : ''
  return { key: name, code, keyCode: isLetter || code !== '' ? upper.charCodeAt(0) : 0, text: name }
}

function unknownKey(written: string): BrowserError {
  const names = named.map(({ key }) => (key === ' ' ? 'Space' : key)).slice(0, 15)
  return new BrowserError('not-usable', `"${written}" is no key. Use ${names.join(', ')}, a letter, or Control+A.`)
}
