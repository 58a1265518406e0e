import type { Field } from './fields.ts'
import type { Wrapper } from './wrapper-table.ts'
import type { Wrapped } from './wrapped.ts'

/** Where the options end, and the texts for a shell that some of them have. */
export function skipOptions(args: readonly Field[], { valued = [], textOptions = [] }: Wrapper) {
  const found: Wrapped[] = []
  let index = 0
  for (; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (text === '--') {
      index++
      break
    }
    if (!/^-./.test(text)) break
    const [name = '', ...value] = text.startsWith('--') ? text.split('=') : [text]
    if (isNamed(name, textOptions)) {
      const given = value.length > 0 ? value.join('=') : (args[index + 1]?.text ?? '')
      found.push({ type: 'text', text: given, strict: true })
      if (value.length === 0) index++
    } else if (value.length === 0 && takesNext(text, valued)) index++
  }
  return { index, found }
}

/** Whether an option's value is the next argument: `-u root`, `-Eu root`. */
export function takesNext(text: string, valued: readonly string[]): boolean {
  if (valued.includes(text)) return true
  return /^-[A-Za-z]{2,}$/.test(text) && valued.includes(`-${text.at(-1)}`) && !valued.includes(text.slice(0, 2))
}

/** The values of some options, wherever they stand. */
export function textsOf(args: readonly Field[], names: readonly string[]): Wrapped[] {
  return args.flatMap((arg, index): Wrapped[] => {
    const [name = '', ...value] = arg.text.startsWith('--') ? arg.text.split('=') : [arg.text]
    if (!isNamed(name, names)) return []
    return [{ type: 'text', text: value.length > 0 ? value.join('=') : (args[index + 1]?.text ?? ''), strict: true }]
  })
}

/** Options of one letter may stand together: `-qc text`. */
function isNamed(option: string, names: readonly string[]): boolean {
  return names.includes(option) || (/^-[A-Za-z]+$/.test(option) && names.includes(`-${option.at(-1)}`))
}
