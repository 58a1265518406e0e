import { visibleText } from '../../turn/deliverables.ts'

/** Shortest time between two drafts, ms; and how many characters a draft may have for each ms of it. */
const [leastMs, charsPerMs] = [80, 200]

/** The answer of a run while it grows. */
export interface Draft {
  /** All that was said in the turn so far, as people see it. */
  text(): string
  add(delta: string): void
  /** What was said since the last tool call is void. */
  reset(): void
  /** Tools follow: what was said stays before what comes. */
  seal(): void
  stop(): void
}

/**
 * `show` is called with all of the text, not too often: a draft holds everything that came before it, so that the longer
 * it gets the fewer there are.
 */
export function createDraft(show: (text: string) => void): Draft {
  let sealed = ''
  let open = ''
  let shown = ''
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const text = () => [sealed, visibleText(open).trim()].filter((part) => part !== '').join('\n\n')
  const plan = () => {
    if (timer || isOver) return
    timer = setTimeout(update, Math.max(leastMs, (sealed.length + open.length) / charsPerMs))
  }
  function update(): void {
    timer = undefined
    const now = text()
    if (now === shown) return
    shown = now
    show(now)
  }
  return {
    text,
    add(delta) {
      open += delta
      plan()
    },
    reset() {
      open = ''
      plan()
    },
    seal() {
      sealed = text()
      open = ''
      plan()
    },
    stop() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
