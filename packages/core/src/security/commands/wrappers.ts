import { containers, inContainer } from './containers.ts'
import type { Field } from './fields.ts'
import { perFile, perInput } from './found-inputs.ts'
import type { Invocation } from './invocation.ts'
import { skipOptions, takesNext, textsOf } from './wrapper-options.ts'
import { type Wrapper, wrappers } from './wrapper-table.ts'
import type { Wrapped } from './wrapped.ts'

/** Programs whose subcommand `run` or `exec` runs something in an environment of theirs. */
const runners: ReadonlySet<string> = new Set([
  'uv',
  'poetry',
  'pipenv',
  'pdm',
  'hatch',
  'rye',
  'conda',
  'mamba',
  'micromamba',
  'bundle',
  'mise',
  'asdf',
  'direnv',
  'doppler',
  'infisical',
  'op',
  'pnpm',
  'yarn',
  'nix',
])

/** What a call runs for its caller; nothing for most programs. */
export function unwrap(call: Invocation): Wrapped[] {
  const { name, args } = call
  if (name === 'xargs' || name === 'parallel') return perInput(name, args)
  if (name === 'find' || name === 'fd' || name === 'fdfind') return perFile(args)
  if (name === 'env') return inEnvironment(args)
  if (runners.has(name)) return afterVerb(args)
  if (name === 'tmux' || name === 'screen') return sessionTexts(args)
  if (name === 'trap' || name === 'alias') return builtinTexts(name, args)
  if (containers.has(name)) return inContainer(args)
  if (name === 'gdb') return debugged(args)
  if (/^ld(?:-linux.*)?\.so/.test(name)) return wrapped(args, { valued: ['--library-path', '--preload', '--argv0'] })
  if (name === 'ip') return inNamespace(args)
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  return wrapper ? wrapped(args, wrapper) : []
}

function wrapped(args: readonly Field[], wrapper: Wrapper): Wrapped[] {
  const { index, found } = skipOptions(args, wrapper)
  let start = index + (wrapper.skip ?? 0)
  // ssh takes options after the host too.
  if (wrapper.joins && wrapper.skip) start += skipOptions(args.slice(start), wrapper).index
  if (wrapper.assignments) return [...found, ...afterSettings(args.slice(start))]
  const rest = args.slice(start)
  // `flock file -c text`, `su user -c text`: the option comes after the operands.
  const late = wrapper.textOptions ? textsOf(args.slice(index), wrapper.textOptions) : []
  const inner = rest.length > 0 && late.length === 0 ? [joinedOrCall(rest, wrapper.joins === true)] : []
  return [...found, ...late, ...inner]
}

function joinedOrCall(fields: readonly Field[], joins: boolean): Wrapped {
  if (!joins) return { type: 'call', fields }
  return { type: 'text', text: fields.map(({ text }) => text).join(' '), strict: false }
}

/** Subcommands of tmux that run what comes after their options. */
const tmuxVerbs =
  /^(?:new(?:-session)?|neww|new-window|splitw|split-window|respawn[pw]|respawn-(?:pane|window)|run|run-shell|popup|display-popup|pipep|pipe-pane)$/
const sessionValued = ['-S', '-t', '-s', '-n', '-c', '-L', '-x', '-y', '-e', '-F', '-T', '-w', '-h', '-l']

/** `tmux new -d 'text'`, `screen -dm program`, `tmux send-keys text`. */
function sessionTexts(args: readonly Field[]): Wrapped[] {
  const operands = args.filter(({ text }) => !text.startsWith('-'))
  const spoken = operands.filter(({ text }) => text.includes(' '))
  const texts = spoken.map(({ text }): Wrapped => ({ type: 'text', text, strict: false }))
  const verb = args.findIndex(({ text }) => tmuxVerbs.test(text))
  const after = verb === -1 ? args : args.slice(verb + 1)
  const fields = after.slice(skipOptions(after, { valued: sessionValued }).index)
  const runs = verb !== -1 || args.some(({ text }) => /^-\w*m/.test(text))
  return runs && fields.length > 0 ? [...texts, { type: 'call', fields }] : texts
}

/** `trap 'text' SIGNAL`, `alias name='text'`. */
function builtinTexts(name: 'trap' | 'alias', args: readonly Field[]): Wrapped[] {
  if (name === 'trap') {
    const [first] = args.filter(({ text }) => text !== '--')
    return first && !/^-|^$/.test(first.text) && args.length > 1
      ? [{ type: 'text', text: first.text, strict: true }]
      : []
  }
  return args.flatMap(({ text }): Wrapped[] => {
    const value = /^[^=]+=(.*)$/s.exec(text)?.[1]
    return value === undefined ? [] : [{ type: 'text', text: value, strict: true }]
  })
}

/** `uv run program`, `bundle exec program`, `conda run -n name program` */
function afterVerb(args: readonly Field[]): Wrapped[] {
  const verb = args.findIndex(({ text }) => text === 'run' || text === 'exec')
  if (verb === -1) return []
  const rest = args.slice(verb + 1)
  const { index } = skipOptions(rest, {
    valued: ['-n', '--name', '-p', '--prefix', '--with', '--python', '--project', '--env-file', '-C'],
  })
  const fields = rest.slice(index)
  return fields.length > 0 ? [{ type: 'call', fields }] : []
}

/** `ip netns exec name program` */
function inNamespace(args: readonly Field[]): Wrapped[] {
  const verb = args.findIndex(({ text }) => text === 'exec')
  const fields = args.slice(verb + 2)
  return verb === -1 || fields.length === 0 ? [] : [{ type: 'call', fields }]
}

/** `gdb --args program` */
function debugged(args: readonly Field[]): Wrapped[] {
  const border = args.findIndex(({ text }) => text === '--args')
  return border === -1 || border === args.length - 1 ? [] : [{ type: 'call', fields: args.slice(border + 1) }]
}

/** `env - A=1 program`, `env -S 'program argument'` */
function inEnvironment(args: readonly Field[]): Wrapped[] {
  const valued = ['-u', '-C', '-P', '-a', '--unset', '--chdir', '--argv0']
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (text === '--' || !text.startsWith('-')) return afterSettings(args.slice(text === '--' ? index + 1 : index))
    const split = /^-[iv0]*S=?([^]*)$|^--s[a-z-]*(?:=([^]*))?$/.exec(text)
    if (split) {
      const attached = split[1] || split[2]
      const rest = args.slice(attached ? index + 1 : index + 2)
      const words = [attached ?? args[index + 1]?.text ?? '', ...rest.map((each) => each.text)]
      return [{ type: 'text', text: `env ${words.join(' ')}`, strict: true }]
    }
    if (takesNext(text, valued)) index++
  }
  return []
}

/** A program that comes after variables for it. */
function afterSettings(fields: readonly Field[]): Wrapped[] {
  const settings = fields.slice(0, settingsBefore(fields)).map(({ text }): Wrapped => {
    const border = text.indexOf('=')
    return { type: 'setting', name: text.slice(0, border), value: text.slice(border + 1) }
  })
  const rest = fields.slice(settings.length)
  return rest.length > 0 ? [...settings, { type: 'call', fields: rest }] : settings
}

function settingsBefore(fields: readonly Field[]): number {
  const first = fields.findIndex(({ text }) => !text.includes('='))
  return first === -1 ? fields.length : first
}
