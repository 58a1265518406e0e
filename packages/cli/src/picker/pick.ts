import { StdinBuffer } from '@earendil-works/pi-tui/dist/stdin-buffer.js'
import type { Cli } from '../command.ts'
import { pickerKey } from './picker-keys.ts'
import { type PickerView, type ScreenSize, pickerLines } from './picker-lines.ts'
import { type PickerState, pickerStep } from './picker-state.ts'

const enterScreen = '\u001b[?1049h\u001b[?25l'
const leaveScreen = '\u001b[?25h\u001b[?1049l'
const home = '\u001b[H'
const clearBelow = '\u001b[J'
const clearRight = '\u001b[K'

/** Lets a person pick an item on the terminal's other screen, which is left as it was. Resolves to the item, if any. */
export async function pick<Item>(items: readonly Item[], view: PickerView<Item>, cli: Cli): Promise<Item | undefined> {
  const stdin = cli.stdin as Cli['stdin'] & { setRawMode?(raw: boolean): void }
  const keys = new StdinBuffer()
  const done = Promise.withResolvers<Item | undefined>()
  let state: PickerState<Item> = { items, filter: '', selected: 0 }
  const draw = () => {
    const rows = pickerLines(state, sizeOf(cli), view).map((line) => line + clearRight)
    cli.stdout.write(home + rows.join('\r\n') + clearBelow)
  }
  const press = (sequence: string) => {
    const key = pickerKey(sequence, Math.max(1, sizeOf(cli).rows - 6))
    if (!key) return
    const step = pickerStep(state, key, view.textOf)
    if (step.type !== 'go-on') return done.resolve(step.type === 'chosen' ? step.item : undefined)
    state = step.state
    draw()
  }
  const take = (data: string | Buffer) => keys.process(data)
  const leave = () => done.resolve(undefined)
  keys.on('data', press)
  keys.on('paste', press)
  stdin.on('data', take).once('end', leave).resume()
  cli.stdout.on('resize', draw)
  cli.signal.addEventListener('abort', leave, { once: true })
  try {
    stdin.setRawMode?.(true)
    cli.stdout.write(enterScreen)
    draw()
    return await done.promise
  } finally {
    cli.stdout.write(leaveScreen)
    stdin.setRawMode?.(false)
    stdin.off('data', take).off('end', leave).pause()
    cli.stdout.off('resize', draw)
    cli.signal.removeEventListener('abort', leave)
    keys.destroy()
  }
}

function sizeOf({ stdout }: Cli): ScreenSize {
  const { columns, rows } = stdout as { columns?: number; rows?: number }
  return { columns: columns ?? 80, rows: rows ?? 24 }
}
