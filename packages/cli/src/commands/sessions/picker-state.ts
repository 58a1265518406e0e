import type { SessionListing } from '@hermes/core/sessions/store.ts'

/** What a person has picked so far. */
export interface PickerState {
  readonly sessions: readonly SessionListing[]
  readonly filter: string
  /** Index among the sessions that pass the filter. */
  readonly selected: number
}

export type PickerKey =
  | { readonly type: 'move'; readonly by: number }
  | { readonly type: 'type'; readonly text: string }
  | { readonly type: 'erase' | 'choose' | 'back' | 'leave' }

/** The next state, or how picking ended: with a session's id, or without. */
export type PickerStep =
  | { readonly type: 'go-on'; readonly state: PickerState }
  | { readonly type: 'chosen'; readonly id: string }
  | { readonly type: 'left' }

/** What a key does: typing filters; going back empties the filter, then leaves; `q` leaves where nothing is typed. */
export function pickerStep(state: PickerState, key: PickerKey): PickerStep {
  switch (key.type) {
    case 'move':
      return goOn({ ...state, selected: within(state.selected + key.by, shownSessions(state).length) })
    case 'type':
      if (state.filter === '' && key.text.toLowerCase() === 'q') return { type: 'left' }
      return goOn({ ...state, filter: state.filter + key.text, selected: 0 })
    case 'erase':
      return goOn({ ...state, filter: Array.from(state.filter).slice(0, -1).join(''), selected: 0 })
    case 'choose': {
      const chosen = shownSessions(state)[state.selected]
      return chosen ? { type: 'chosen', id: chosen.id } : goOn(state)
    }
    case 'back':
      return state.filter === '' ? { type: 'left' } : goOn({ ...state, filter: '', selected: 0 })
    default:
      return { type: 'left' }
  }
}

/** The sessions that have every typed word in their title, preview, source or id. */
export function shownSessions({ sessions, filter }: PickerState): readonly SessionListing[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return sessions.filter(({ title = '', preview, source, id }) => {
    const text = `${title} ${preview} ${source} ${id}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function goOn(state: PickerState): PickerStep {
  return { type: 'go-on', state }
}

function within(index: number, count: number): number {
  return Math.max(0, Math.min(index, count - 1))
}
