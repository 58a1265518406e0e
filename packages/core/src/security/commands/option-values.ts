import type { Field } from './fields.ts'

export interface NamedOptions {
  /** Options of one letter; they may stand in a cluster. */
  readonly letters: string
  /** Long options without their dashes; they may be shortened. */
  readonly long: readonly string[]
}

/** The values given to some options, in whichever form. */
export function optionValues(args: readonly Field[], { letters, long }: NamedOptions): string[] {
  const cluster = letters === '' ? undefined : new RegExp(`^-[A-Za-z0-9]*?[${letters}]([^]*)$`)
  return args.flatMap(({ text }, index): string[] => {
    const next = args[index + 1]?.text ?? ''
    if (text.startsWith('--')) {
      const [name = '', ...value] = text.slice(2).split('=')
      if (name.length < 3 || !long.some((each) => each.startsWith(name))) return []
      return [value.length > 0 ? value.join('=') : next]
    }
    const attached = cluster?.exec(text)?.[1]
    if (attached === undefined) return []
    return attached === '' ? [next] : [attached]
  })
}
