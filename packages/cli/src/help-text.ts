import type { Command, OptionSpec } from './command.ts'

/** Help of one command, ready to print. `path` is how it is called, e.g. `hermes sessions list`. */
export function helpText(command: Command, path: readonly string[]): string {
  const name = path.join(' ')
  const subs = command.subcommands ?? []
  const options = Object.entries(command.options ?? {})
  const usage = [
    name,
    subs.length > 0 ? (command.run ? '[COMMAND]' : 'COMMAND') : '',
    '[OPTIONS]',
    command.positionals ?? '',
  ]
  const parts = [command.summary, `Usage: ${usage.filter(Boolean).join(' ')}`]
  if (subs.length > 0) parts.push(`Commands:\n${table(subs.map((sub) => [sub.name, sub.summary]))}`)
  parts.push(
    `Options:\n${table([...options.map(([key, spec]) => optionRow(key, spec)), ['-h, --help', 'Show this help']])}`,
  )
  if (command.examples?.length) parts.push(`Examples:\n${command.examples.map((line) => `  ${line}`).join('\n')}`)
  if (subs.length > 0) parts.push(`"${name} COMMAND --help" tells more.`)
  return `${parts.join('\n\n')}\n`
}

function optionRow(key: string, spec: OptionSpec): [string, string] {
  const value = spec.type === 'string' ? ` ${spec.value ?? 'VALUE'}` : ''
  const choices = spec.choices ? ` (${spec.choices.join('|')})` : ''
  return [`${spec.short ? `-${spec.short}, ` : '    '}--${key}${value}`, spec.description + choices]
}

/** Two columns, the second wrapped at 100 characters. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(30, Math.max(...rows.map(([left]) => left.length)))
  return rows
    .map(([left, right]) => {
      const lines = wrap(right, 100 - width - 4)
      const first =
        left.length > width ? [left, ...lines] : [`${left.padEnd(width)}  ${lines[0] ?? ''}`, ...lines.slice(1)]
      return first
        .map((line, index) => (index === 0 ? `  ${line}` : `${' '.repeat(width + 4)}${line}`).trimEnd())
        .join('\n')
    })
    .join('\n')
}

/** Lines of whole words, of at most so many characters where no word is longer. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 1 <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
