import { type Field, field, unknown } from './fields.ts'
import type { Invocation } from './invocation.ts'

/** What a program runs for its caller. */
export type Wrapped =
  /** Another program with its arguments. */
  | { readonly type: 'call'; readonly fields: readonly Field[] }
  /** A text that a shell reads. `strict`: unknown values become part of that text before it is read. */
  | { readonly type: 'text'; readonly text: string; readonly strict: boolean }
  /** A variable that it is given. */
  | { readonly type: 'setting'; readonly name: string; readonly value: string }

interface Wrapper {
  /** Options that take a value, as written. */
  readonly valued?: readonly string[]
  /** Operands before the program. */
  readonly skip?: number
  /** `NAME=value` may come before the program. */
  readonly assignments?: boolean
  /** Options whose value is a text for a shell. */
  readonly textOptions?: readonly string[]
  /** The words after the operands are joined and read by a shell. */
  readonly joins?: boolean
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valued: [
      '-u',
      '-g',
      '-h',
      '-p',
      '-C',
      '-r',
      '-t',
      '-T',
      '-U',
      '-D',
      '-R',
      '--user',
      '--group',
      '--host',
      '--prompt',
      '--chdir',
      '--chroot',
    ],
    assignments: true,
  },
  doas: { valued: ['-u', '-C'] },
  pkexec: { valued: ['--user'] },
  command: {},
  builtin: {},
  exec: { valued: ['-a'] },
  nohup: {},
  setsid: {},
  time: { valued: ['-f', '-o', '--format', '--output'] },
  nice: { valued: ['-n', '--adjustment'] },
  ionice: { valued: ['-c', '-n', '-p', '-u', '-P', '--class', '--classdata'] },
  chrt: { valued: ['-T', '-P', '-D'], skip: 1 },
  taskset: { skip: 1 },
  timeout: { valued: ['-k', '-s', '--kill-after', '--signal'], skip: 1 },
  stdbuf: { valued: ['-i', '-o', '-e', '--input', '--output', '--error'] },
  unbuffer: {},
  catchsegv: {},
  fakeroot: { valued: ['-l', '-s', '-i', '-b'] },
  proxychains: { valued: ['-f'] },
  proxychains4: { valued: ['-f'] },
  torsocks: { valued: ['-u', '-p', '-a', '-P'] },
  torify: {},
  caffeinate: { valued: ['-t', '-w'] },
  capsh: { textOptions: ['-c'], skip: 99 },
  chroot: { valued: ['--userspec', '--groups'], skip: 1 },
  unshare: { valued: ['-R', '-w', '-S', '-G', '--root', '--wd'] },
  nsenter: { valued: ['-t', '-S', '-G', '--target'] },
  'systemd-run': {
    valued: [
      '-u',
      '-p',
      '-M',
      '-H',
      '-E',
      '--unit',
      '--property',
      '--on-active',
      '--on-calendar',
      '--uid',
      '--gid',
      '--setenv',
    ],
  },
  'systemd-inhibit': {},
  'dbus-run-session': { valued: ['--config-file', '--dbus-daemon'] },
  'xvfb-run': { valued: ['-n', '-s', '-e', '-f', '-p', '-w'] },
  strace: { valued: ['-e', '-o', '-p', '-s', '-u', '-E', '-a', '-P', '-I', '-O', '-S', '-X', '-b'] },
  ltrace: { valued: ['-e', '-o', '-p', '-s', '-u', '-n', '-l', '-a', '-x', '-A', '-D', '-F', '-w'] },
  valgrind: {},
  perf: { skip: 1, valued: ['-e', '-o', '-F', '-p'] },
  hyperfine: { joins: true, valued: ['-w', '-m', '-M', '-r', '--warmup', '--runs'] },
  busybox: {},
  toybox: {},
  runuser: { valued: ['-u', '-g', '-G', '-s'], textOptions: ['-c', '--command'] },
  su: { valued: ['-g', '-G', '-s', '-w'], textOptions: ['-c', '--command'], skip: 99 },
  script: { valued: ['-E', '-I', '-O', '-B', '-T', '-m', '-o'], textOptions: ['-c', '--command'], skip: 99 },
  flock: {
    valued: ['-w', '-E', '--wait', '--timeout', '--conflict-exit-code'],
    skip: 1,
    textOptions: ['-c', '--command'],
  },
  watch: { valued: ['-n', '-q', '--interval'], joins: true },
  ssh: {
    valued: [
      '-b',
      '-c',
      '-D',
      '-E',
      '-e',
      '-F',
      '-I',
      '-i',
      '-J',
      '-L',
      '-l',
      '-m',
      '-O',
      '-o',
      '-p',
      '-Q',
      '-R',
      '-S',
      '-W',
      '-w',
      '-B',
    ],
    skip: 1,
    joins: true,
  },
  sshpass: { valued: ['-p', '-f', '-P', '-e'] },
  mosh: { skip: 1, valued: ['-p'] },
  entr: {},
  watchexec: { valued: ['-w', '-e', '-i', '-d', '-s', '--watch', '--exts'] },
  nodemon: { textOptions: ['-x', '--exec'], skip: 99, valued: ['-w', '-e', '-i', '--watch', '--ext'] },
  concurrently: { joins: true, valued: ['-n', '-c'] },
  npx: { textOptions: ['-c', '--call'], skip: 99 },
  npm: { textOptions: ['-c', '--call'], skip: 99 },
  'nix-shell': { textOptions: ['--run', '--command'], skip: 99 },
  sg: { textOptions: ['-c'], skip: 99 },
  setarch: { skip: 1 },
  linux32: {},
  linux64: {},
  setpriv: { valued: ['--reuid', '--regid', '--groups'] },
  prlimit: {},
  numactl: { valued: ['-N', '-m', '-C', '-i'] },
  cgexec: { valued: ['-g'] },
  cpulimit: { valued: ['-l', '--limit'] },
  rlwrap: {},
  chronic: {},
  ifne: {},
  'su-exec': { skip: 1 },
  gosu: { skip: 1 },
  tini: {},
  'dumb-init': {},
}

/** Subcommands of container and cluster programs that run something inside. */
const containers: ReadonlySet<string> = new Set([
  'docker',
  'podman',
  'nerdctl',
  'kubectl',
  'oc',
  'docker-compose',
  'lxc',
  'crictl',
])

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

function skipOptions(args: readonly Field[], { valued = [], textOptions = [] }: Wrapper) {
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
function takesNext(text: string, valued: readonly string[]): boolean {
  if (valued.includes(text)) return true
  return /^-[A-Za-z]{2,}$/.test(text) && valued.includes(`-${text.at(-1)}`) && !valued.includes(text.slice(0, 2))
}

function textsOf(args: readonly Field[], names: readonly string[]): Wrapped[] {
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
function perInput(name: string, args: readonly Field[]): Wrapped[] {
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
function perFile(args: readonly Field[]): Wrapped[] {
  return args.flatMap((arg, index): Wrapped[] => {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(arg.text)) return []
    const rest = args.slice(index + 1)
    const end = rest.findIndex(({ text }) => text === ';' || text === '+')
    const fields = end === -1 ? rest : rest.slice(0, end)
    const filled = fields.map((each) => ({ ...each, text: each.text.replaceAll('{}', unknown) }))
    const names = filled.some(({ text }) => text.includes(unknown)) ? [] : [field(unknown)]
    return filled.length > 0 ? [{ type: 'call', fields: [...filled, ...names] }] : []
  })
}

/** `tmux new -d 'text'`, `screen -dm program`, `tmux send-keys text`. */
function sessionTexts(args: readonly Field[]): Wrapped[] {
  const operands = args.filter(({ text }) => !text.startsWith('-'))
  const spoken = operands.filter(({ text }) => text.includes(' '))
  const { index } = skipOptions(args, { valued: ['-S', '-t', '-s', '-n', '-c', '-L', '-x', '-y'] })
  const rest = args.slice(index)
  return [
    ...spoken.map(({ text }): Wrapped => ({ type: 'text', text, strict: false })),
    ...(rest.length > 0 && args.some(({ text }) => /^-\w*m/.test(text))
      ? [{ type: 'call' as const, fields: rest }]
      : []),
  ]
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

/** `docker exec box program`, `docker run image program`, `kubectl exec pod -- program`. */
function inContainer(args: readonly Field[]): Wrapped[] {
  const verb = args.findIndex(({ text }) => text === 'exec' || text === 'run')
  if (verb === -1) return []
  const rest = args.slice(verb + 1)
  const border = rest.findIndex(({ text }) => text === '--')
  if (border !== -1) return [{ type: 'call', fields: rest.slice(border + 1) }]
  const valued = [
    '-e',
    '-u',
    '-w',
    '-v',
    '-p',
    '-n',
    '-c',
    '-l',
    '-m',
    '-h',
    '--env',
    '--user',
    '--workdir',
    '--name',
    '--volume',
    '--network',
    '--entrypoint',
    '--publish',
    '--mount',
    '--env-file',
    '--platform',
    '--memory',
    '--cpus',
    '--label',
    '--hostname',
    '--index',
    '--gpus',
    '--restart',
    '--add-host',
  ]
  const { index } = skipOptions(rest, { valued })
  const fields = rest.slice(index + 1)
  return fields.length > 0 ? [{ type: 'call', fields }] : []
}
