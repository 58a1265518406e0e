/** What a person has picked so far. */
export interface PickerState<Item> {
  readonly items: readonly Item[]
  readonly filter: string
  /** Index among the items that pass the filter. */
  readonly selected: number
}

export type PickerKey =
  | { readonly type: 'move'; readonly by: number }
  | { readonly type: 'type'; readonly text: string }
  | { readonly type: 'erase' | 'choose' | 'back' | 'leave' }

/** The next state, or how picking ended: with an item, or without. */
export type PickerStep<Item> =
  | { readonly type: 'go-on'; readonly state: PickerState<Item> }
  | { readonly type: 'chosen'; readonly item: Item }
  | { readonly type: 'left' }

/** The text of an item that the filter looks into. */
export type TextOf<Item> = (item: Item) => string

/** What a key does: typing filters; going back empties the filter, then leaves; `q` leaves where nothing is typed. */
export function pickerStep<Item>(state: PickerState<Item>, key: PickerKey, textOf: TextOf<Item>): PickerStep<Item> {
  switch (key.type) {
    case 'move':
      return goOn({ ...state, selected: within(state.selected + key.by, shownItems(state, textOf).length) })
    case 'type':
      if (state.filter === '' && key.text.toLowerCase() === 'q') return { type: 'left' }
      return goOn({ ...state, filter: state.filter + key.text, selected: 0 })
    case 'erase':
      return goOn({ ...state, filter: Array.from(state.filter).slice(0, -1).join(''), selected: 0 })
    case 'choose': {
      const item = shownItems(state, textOf)[state.selected]
      return item === undefined ? goOn(state) : { type: 'chosen', item }
    }
    case 'back':
      return state.filter === '' ? { type: 'left' } : goOn({ ...state, filter: '', selected: 0 })
    default:
      return { type: 'left' }
  }
}

/** The items that have every typed word in their text. */
export function shownItems<Item>({ items, filter }: PickerState<Item>, textOf: TextOf<Item>): readonly Item[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter((item) => {
    const text = textOf(item).toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function goOn<Item>(state: PickerState<Item>): PickerStep<Item> {
  return { type: 'go-on', state }
}

function within(index: number, count: number): number {
  return Math.max(0, Math.min(index, count - 1))
}
