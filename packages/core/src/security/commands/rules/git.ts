import { hasOption, type Invocation, readOptions } from '../invocation.ts'
import { keysOf, type Rule } from './rule.ts'

/** Options of git itself that take a value. */
const globalValued: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
])

/** The subcommand of a call of git and what follows it. */
export function gitSubcommand({ args }: Pick<Invocation, 'args'>) {
  let index = 0
  while (index < args.length && args[index]?.text.startsWith('-'))
    index += globalValued.has(args[index]?.text ?? '') ? 2 : 1
  return { subcommand: args[index]?.text ?? '', args: args.slice(index + 1), before: args.slice(0, index) }
}

export const git: Rule = (call) => {
  if (call.name !== 'git') return []
  const { subcommand, args } = gitSubcommand(call)
  const options = readOptions(args)
  const operands = options.operands.map(({ text }) => text)
  const has = (...names: string[]) => hasOption(options, ...names)
  switch (subcommand) {
    case 'reset':
      return keysOf({ 'git reset --hard': has('hard') })
    case 'push':
      return keysOf({
        'git force push':
          has('f', 'force', 'force-with-lease', 'mirror') || operands.some((ref) => ref.startsWith('+')),
        'git push that deletes': has('d', 'delete', 'prune') || operands.some((ref) => /^\+?:./.test(ref)),
      })
    case 'clean':
      return keysOf({ 'git clean with force': has('f', 'force') && !has('n', 'dry-run') })
    case 'branch':
      return keysOf({ 'git branch force delete': options.flags.has('D') || (has('d', 'delete') && has('f', 'force')) })
    case 'checkout':
    case 'switch':
      return keysOf({ 'git discards changes': has('f', 'force', 'discard-changes') || operands.includes('.') })
    case 'restore':
      return keysOf({
        'git discards changes':
          /^(?:\.|:\/|\*)$/.test(operands[0] ?? '') && (!has('S', 'staged') || has('W', 'worktree')),
      })
    case 'stash':
      return keysOf({ 'git stash delete': operands[0] === 'drop' || operands[0] === 'clear' })
    case 'reflog':
      return keysOf({ 'git history rewrite': operands[0] === 'expire' || operands[0] === 'delete' })
    case 'gc':
      return keysOf({ 'git history rewrite': options.values.get('prune')?.text === 'now' || has('aggressive') })
    case 'update-ref':
      return keysOf({ 'git history rewrite': has('d', 'delete') })
    case 'filter-branch':
    case 'filter-repo':
      return ['git history rewrite']
    default:
      return []
  }
}
