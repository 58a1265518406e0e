import { type Field, isKnown, temporary, unknown } from '../fields.ts'
import { hasOption, type Invocation, readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

/** Programs that take files away. */
export const deleters: ReadonlySet<string> = new Set(['rm', 'unlink', 'shred', 'wipe', 'srm'])

export const deletion: Rule = (call) => {
  switch (call.name) {
    case 'rm':
      return removal(call)
    case 'unlink':
      return keysOf({
        'delete in root path': call.args.some(isOutside),
        'delete of an unknown path': call.args.some(isUnclear),
      })
    case 'shred':
    case 'wipe':
    case 'srm':
      return ['unrecoverable delete']
    case 'find':
      return keysOf({ 'find -delete': call.args.some(({ text }) => text === '-delete') })
    case 'rsync':
      return keysOf({
        'rsync that deletes': call.args.some(({ text }) => /^--(?:del|delete.*|remove-source-files)$/.test(text)),
      })
    case 'mv':
      return keysOf({ 'move to /dev/null': call.args.at(-1)?.text === '/dev/null' })
    default:
      return []
  }
}

function removal(call: Invocation): string[] {
  const options = readOptions(call.args)
  const { operands } = options
  // What this command line made for itself it may take away.
  if (operands.length > 0 && !options.isOpen && operands.every(({ text }) => text.startsWith(temporary))) return []
  return keysOf({
    'recursive delete': hasOption(options, 'r', 'R', 'recursive', 'no-preserve-root'),
    'delete in root path': operands.some(isOutside),
    'delete of an unknown path': options.isOpen || operands.some(isUnclear),
    'delete of everything in a folder': operands.some(({ text, isGlob }) => isGlob && /^(?:\.\/)?[.*]+$/.test(text)),
  })
}

function isOutside({ text }: Field): boolean {
  return text.startsWith('/')
}

function isUnclear({ text }: Field): boolean {
  // A known folder with an unknown name in it is as clear as a pattern.
  return text.startsWith(unknown) || (!isKnown(text) && /(?:^|\/)\.\.(?:\/|$)/.test(text))
}
