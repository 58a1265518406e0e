import { type Field, field, unknown } from './fields.ts'
import type { Wrapped } from './wrapped.ts'
import { skipOptions } from './wrapper-options.ts'

const xargsValued = [
  '-I',
  '-i',
  '-n',
  '-L',
  '-P',
  '-s',
  '-d',
  '-a',
  '-E',
  '--replace',
  '--max-args',
  '--max-procs',
  '--delimiter',
  '--arg-file',
  '--max-lines',
]
const parallelValued = [
  '-j',
  '-S',
  '-a',
  '-N',
  '-n',
  '-I',
  '-P',
  '--jobs',
  '--colsep',
  '--joblog',
  '--results',
  '--delay',
  '--timeout',
]

/** `xargs` and `parallel`: every input becomes an argument that nobody knows. */
export function perInput(name: string, args: readonly Field[]): Wrapped[] {
  const { index } = skipOptions(args, { valued: name === 'xargs' ? xargsValued : parallelValued })
  const before = args.slice(0, index)
  const option = before.findIndex(({ text }) => /^(?:-I|-i|--replace)/.test(text))
  const attached = /^(?:-I|-i|--replace=)(.+)$/.exec(before[option]?.text ?? '')?.[1]
  const token = attached ?? (before[option]?.text === '-I' ? before[option + 1]?.text : undefined) ?? '{}'
  const end = args.findIndex(({ text }) => text.startsWith(':::'))
  const fields = args.slice(index, end === -1 ? undefined : end)
  const filled = fields.map((each) => ({ ...each, text: each.text.replaceAll(token, unknown) }))
  if (name === 'parallel') {
    if (filled.length === 0) return [{ type: 'text', text: unknown, strict: true }]
    return [{ type: 'text', text: `${filled.map(({ text }) => text).join(' ')} ${unknown}`, strict: false }]
  }
  if (filled.length === 0) return []
  const added: Field[] = option === -1 ? [{ text: unknown, isOpen: true, isGlob: false }] : []
  return [{ type: 'call', fields: [...filled, ...added] }]
}

/** `find -exec`, `fd -x`: the files found are arguments that nobody knows. */
export function perFile(args: readonly Field[]): Wrapped[] {
  return args.flatMap((arg, index): Wrapped[] => {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(arg.text)) return []
    const rest = args.slice(index + 1)
    const end = rest.findIndex(({ text }) => text === ';' || text === '+')
    const fields = end === -1 ? rest : rest.slice(0, end)
    const filled = fields.map((each) => ({ ...each, text: each.text.replaceAll('{}', unknown) }))
    // `find` adds no name where none is asked for; `fd` does.
    const isNamed =
      arg.text.startsWith('-exec') || arg.text.startsWith('-ok') || filled.some(({ text }) => text.includes(unknown))
    const names = isNamed ? [] : [field(unknown)]
    return filled.length > 0 ? [{ type: 'call', fields: [...filled, ...names] }] : []
  })
}
