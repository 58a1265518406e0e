import type { Command, Redirect, Script, Word } from './syntax.ts'

/** A script inside a word, and how it is joined to the command that the word belongs to. */
export interface NestedScript {
  readonly script: Script
  readonly kind: 'substitution' | 'process-input' | 'process-output'
}

/** The scripts that run when a word is expanded. */
export function scriptsIn(word: Word): NestedScript[] {
  return word.parts.flatMap((part): NestedScript[] => {
    switch (part.type) {
      case 'text':
        return []
      case 'command':
        return [{ script: part.script, kind: 'substitution' }]
      case 'process':
        return [{ script: part.script, kind: part.direction === '<' ? 'process-input' : 'process-output' }]
      case 'parameter':
        return [...scriptsIn(part.subscript), ...scriptsIn(part.argument)]
      case 'arithmetic':
        return scriptsIn(part.word)
    }
  })
}

/** All words of a command itself, not of the commands inside it. */
export function wordsOf(command: Command): readonly Word[] {
  const own = ownWords(command)
  return 'redirects' in command ? [...own, ...command.redirects.map(({ target }: Redirect) => target)] : own
}

function ownWords(command: Command): readonly Word[] {
  switch (command.type) {
    case 'simple':
      return [...command.assignments.flatMap(({ subscript, values }) => [subscript, ...values]), ...command.words]
    case 'loop':
      return command.words ?? []
    case 'case':
    case 'test':
      return command.words
    default:
      return []
  }
}

/** The scripts that a compound command is made of. */
export function bodiesOf(command: Command): readonly Script[] {
  switch (command.type) {
    case 'group':
    case 'loop':
      return [command.body]
    case 'branches':
    case 'case':
      return command.scripts
    case 'function':
      return [{ pipelines: [{ commands: [command.body], background: false }] }]
    default:
      return []
  }
}
