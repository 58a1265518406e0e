import { resolve } from 'node:path'
import { type Field, isKnown, unknown } from './fields.ts'
import { bodiesOf, scriptsIn, wordsOf } from './nested-scripts.ts'
import { printfed } from './printing.ts'
import { baseName, type ShellValues } from './shell-values.ts'
import type { Command, Script, SimpleCommand } from './syntax.ts'

/**
 * Notes every value that a script gives to its variables, and every folder it goes to, wherever in the script: what is
 * certain to run first is not asked.
 */
export function collectAssignments(script: Script, values: ShellValues): void {
  for (const { commands } of script.pipelines) for (const command of commands) collect(command, values)
}

function collect(command: Command, values: ShellValues): void {
  for (const word of wordsOf(command)) for (const { script } of scriptsIn(word)) collectAssignments(script, values)
  if (command.type === 'simple') collectSimple(command, values)
  if (command.type === 'loop' && command.variable !== undefined) {
    const items = command.words ? values.expandAll(command.words).flat() : [{ text: unknown }]
    values.assign(
      command.variable,
      items.map(({ text }) => text),
    )
  }
  const bodies = () => {
    for (const body of bodiesOf(command)) collectAssignments(body, values)
  }
  if (command.type === 'function') values.inFunction(bodies)
  else bodies()
}

function collectSimple(command: SimpleCommand, values: ShellValues): void {
  for (const { name, append, values: words } of command.assignments) {
    const [only, ...others] = words
    if (only && others.length === 0) values.assign(name, values.texts(only), append)
    else values.assignList(name, values.expandAll(words), append)
  }
  for (const [program, ...args] of values.expandAll(command.words)) {
    if (program) collectBuiltin(baseName(program.text), args, values)
  }
}

function collectBuiltin(name: string, args: readonly Field[], values: ShellValues): void {
  const operands = args.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text)
  switch (name) {
    case 'cd':
    case 'pushd':
      goTo(operands[0] ?? values.surroundings.userHome, values)
      break
    case 'read':
    case 'mapfile':
    case 'readarray':
    case 'getopts':
      for (const operand of operands) values.assign(operand, [unknown])
      break
    case 'printf':
      if (args[0]?.text === '-v')
        values.assign(args[1]?.text ?? '', [printfed(args.slice(2).map(({ text }) => text)) ?? unknown])
      break
    case 'set': {
      const border = args.findIndex(({ text }) => text === '--' || !/^[-+]/.test(text))
      if (border !== -1) values.assignList('@', [args.slice(args[border]?.text === '--' ? border + 1 : border)])
      break
    }
    default:
  }
}

function goTo(folder: string, values: ShellValues): void {
  const most = 16
  if (!isKnown(folder) || values.directories.size >= most) return
  // A copy: what is added now is not where it goes on from.
  const before = Array.from(values.directories)
  for (const from of before) {
    if (values.directories.size < most) values.directories.add(resolve(from, folder))
  }
}
