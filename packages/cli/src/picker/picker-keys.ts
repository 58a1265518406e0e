import { parseKey } from '@earendil-works/pi-tui/dist/keys.js'
import type { PickerKey } from './picker-state.ts'

/** What one key sequence of a terminal means to the picker; undefined for keys that mean nothing. */
export function pickerKey(sequence: string, page: number): PickerKey | undefined {
  const name = parseKey(sequence)
  const named = name === undefined ? undefined : keyOf(name, page)
  if (named) return named
  // What is left is text, unless it holds control characters.
  return /^\P{Cc}+$/u.test(sequence) ? { type: 'type', text: sequence } : undefined
}

function keyOf(name: string, page: number): PickerKey | undefined {
  switch (name) {
    case 'up':
    case 'ctrl+p':
      return { type: 'move', by: -1 }
    case 'down':
    case 'ctrl+n':
      return { type: 'move', by: 1 }
    case 'pageUp':
      return { type: 'move', by: -page }
    case 'pageDown':
      return { type: 'move', by: page }
    case 'home':
      return { type: 'move', by: -Infinity }
    case 'end':
      return { type: 'move', by: Infinity }
    case 'enter':
      return { type: 'choose' }
    case 'backspace':
      return { type: 'erase' }
    case 'escape':
      return { type: 'back' }
    case 'ctrl+c':
    case 'ctrl+d':
      return { type: 'leave' }
    default:
      return undefined
  }
}
