import { type Field, field } from './fields.ts'
import { type Invocation, type Options, readOptions, hasOption } from './invocation.ts'
import { deleters } from './rules/deletion.ts'

/** Files that a call writes (or removes), and files whose content it gives out, as far as its arguments tell. */
export interface FileEffects {
  readonly writes: readonly Field[]
  readonly reads: readonly Field[]
}

type Effect = (options: Options, call: Invocation) => Partial<FileEffects>

const allWritten = ({ operands }: Options) => ({ writes: operands })
const allRead = ({ operands }: Options) => ({ reads: operands })
/** The first operand is a script or a pattern. */
const secondsRead = ({ operands }: Options) => ({ reads: operands.slice(1) })
const none: FileEffects = { writes: [], reads: [] }

/** Copies: the last operand, or the folder of `-t`, is written, the others are read. */
const copies: Effect = ({ operands, values }, { name }) => {
  const folder = values.get('t') ?? values.get('target-directory')
  const sources = folder ? operands : operands.slice(0, -1)
  const targets = folder ? [folder] : operands.slice(-1)
  return { writes: name === 'mv' ? [...targets, ...sources] : targets, reads: name === 'ln' ? [] : sources }
}

/** Programs that change their files only with some option, and read them otherwise. */
const inPlace =
  (...names: string[]): Effect =>
  (options) =>
    hasOption(options, ...names) ? { writes: options.operands } : secondsRead(options)

/** The values of an archiver's first argument without a dash, in their order: `xfC file folder`. */
function withDashes([bundle, ...rest]: readonly Field[]): readonly Field[] {
  if (!bundle || !/^[A-Za-z]{1,20}$/.test(bundle.text)) return bundle ? [bundle, ...rest] : []
  const args: Field[] = []
  for (const letter of bundle.text) {
    args.push({ ...bundle, text: `-${letter}` })
    const value = archiveOptions.includes(letter) ? rest.shift() : undefined
    if (value) args.push(value)
  }
  return [...args, ...rest]
}

const archiveOptions = [
  'f',
  'C',
  'directory',
  'file',
  'T',
  'X',
  'exclude',
  'b',
  'I',
  'F',
  'transform',
  'strip-components',
]

/** An archive fills its folder with anything; reading one gives out the files that it is made of. */
function extraction(_: Options, call: Invocation): Partial<FileEffects> {
  const options = readOptions(withDashes(call.args), archiveOptions)
  if (!hasOption(options, 'x', 'extract', 'get')) return hasOption(options, 't', 'list') ? {} : allRead(options)
  const folders = present(options.values.get('C'), options.values.get('directory'))
  const root = hasOption(options, 'P', 'absolute-names') ? [field('/')] : []
  return { writes: [...filled(folders, call), ...root] }
}

/** What may be written in folders that get files of any name; without folders, where the command line went to. */
function filled(folders: readonly Field[], { directories }: Invocation): Field[] {
  const all = folders.length > 0 ? folders : directories.slice(1).map((path) => field(path))
  return all.flatMap((folder) => [folder, { ...folder, text: `${folder.text}/.bashrc` }])
}

const copyOptions = [
  't',
  'target-directory',
  'S',
  'm',
  'o',
  'g',
  'mode',
  'owner',
  'group',
  'e',
  'P',
  'i',
  'F',
  'exclude',
  'include',
]

interface Program {
  readonly effect: Effect
  readonly valued?: readonly string[]
}

const programs: Readonly<Record<string, Program>> = {
  tee: { effect: allWritten },
  touch: { effect: allWritten, valued: ['d', 't', 'r'] },
  truncate: { effect: allWritten, valued: ['s', 'r', 'size', 'reference'] },
  ed: { effect: allWritten },
  ex: { effect: allWritten, valued: ['c', 's'] },
  patch: {
    effect: ({ operands, values }, call) => {
      const folders = present(values.get('d'), values.get('directory'))
      return { writes: folders.length > 0 ? [...operands, ...filled(folders, call)] : operands }
    },
    valued: ['p', 'i', 'd', 'o', 'directory', 'input', 'output'],
  },
  cp: { effect: copies, valued: copyOptions },
  mv: { effect: copies, valued: copyOptions },
  ln: { effect: copies, valued: copyOptions },
  install: { effect: copies, valued: copyOptions },
  rsync: { effect: copies, valued: copyOptions },
  scp: { effect: copies, valued: copyOptions },
  sed: { effect: inPlace('i', 'in-place'), valued: ['e', 'f', 'expression', 'file', 'l'] },
  perl: { effect: inPlace('i'), valued: ['e', 'E'] },
  ruby: { effect: inPlace('i'), valued: ['e'] },
  awk: { effect: secondsRead, valued: ['v', 'F', 'f', 'i'] },
  gawk: { effect: secondsRead, valued: ['v', 'F', 'f', 'i'] },
  grep: { effect: secondsRead, valued: ['e', 'f', 'm', 'A', 'B', 'C', 'include', 'exclude'] },
  egrep: { effect: secondsRead, valued: ['m', 'A', 'B', 'C'] },
  rg: { effect: secondsRead, valued: ['g', 't', 'm', 'A', 'B', 'C', 'e'] },
  dd: { effect: (_, { args }) => ({ writes: valuesOf(args, 'of='), reads: valuesOf(args, 'if=') }) },
  curl: {
    effect: ({ values }) => ({
      writes: present(
        values.get('o'),
        values.get('output'),
        values.get('output-dir'),
        values.get('c'),
        values.get('D'),
      ),
      reads: uploads(values),
    }),
    valued: [
      'o',
      'output',
      'output-dir',
      'd',
      'data',
      'data-binary',
      'data-raw',
      'data-urlencode',
      'F',
      'form',
      'T',
      'upload-file',
      'H',
      'header',
      'X',
      'request',
      'u',
      'A',
      'b',
      'c',
      'D',
      'e',
      'K',
      'm',
      'w',
      'x',
      'json',
    ],
  },
  wget: {
    effect: ({ values }) => ({
      writes: present(values.get('O'), values.get('output-document'), values.get('P'), values.get('directory-prefix')),
      reads: present(values.get('post-file'), values.get('body-file')),
    }),
    valued: ['O', 'output-document', 'P', 'directory-prefix', 'post-file', 'body-file', 'U', 'header', 'o'],
  },
  tar: { effect: extraction, valued: archiveOptions },
  bsdtar: { effect: extraction, valued: archiveOptions },
  gtar: { effect: extraction, valued: archiveOptions },
  unzip: {
    effect: ({ values, flags }, call) =>
      hasOption({ flags, values, operands: [], isOpen: false }, 'l', 'p', 't', 'v', 'Z')
        ? {}
        : { writes: filled(present(values.get('d')), call) },
    valued: ['d', 'x', 'P'],
  },
  '7z': {
    effect: (_, call) =>
      /^[xe]$/.test(call.args[0]?.text ?? '') ? { writes: filled(valuesOf(call.args, '-o'), call) } : {},
  },
  cpio: {
    effect: (options, call) =>
      hasOption(options, 'i', 'extract')
        ? { writes: filled(present(options.values.get('D'), options.values.get('directory')), call) }
        : {},
    valued: ['D', 'directory', 'F', 'H', 'R', 'E', 'I', 'O'],
  },
  find: {
    effect: (_, { args }) => ({
      writes: args.filter((_arg, index) => /^-f(?:print0?|printf|ls)$/.test(args[index - 1]?.text ?? '')),
    }),
  },
  sort: {
    effect: ({ values, operands }) => ({ writes: present(values.get('o')), reads: operands }),
    valued: ['o', 'k', 't', 'T', 'S'],
  },
}

const readers: ReadonlySet<string> = new Set([
  'cat',
  'tac',
  'nl',
  'head',
  'tail',
  'less',
  'more',
  'most',
  'bat',
  'batcat',
  'od',
  'xxd',
  'hexdump',
  'strings',
  'base64',
  'base32',
  'cut',
  'uniq',
  'paste',
  'fold',
  'rev',
  'zip',
  'gzip',
  '7z',
  'diff',
  'cmp',
  'split',
  'openssl',
  'jq',
  'yq',
  'pr',
])

/** What a call does to the files it names. */
export function fileEffects(call: Invocation): FileEffects {
  const program = Object.hasOwn(programs, call.name) ? programs[call.name] : undefined
  if (program) return { ...none, ...program.effect(readOptions(call.args, program.valued), call) }
  if (deleters.has(call.name)) return { ...none, writes: readOptions(call.args).operands }
  if (readers.has(call.name)) return { ...none, reads: readOptions(call.args, ['n', 'c', 'f', 'd', 's', 'w']).operands }
  return none
}

function present(...fields: readonly (Field | undefined)[]): Field[] {
  return fields.filter((field) => field !== undefined)
}

function valuesOf(args: readonly Field[], prefix: string): Field[] {
  return args.flatMap((arg) => (arg.text.startsWith(prefix) ? [{ ...arg, text: arg.text.slice(prefix.length) }] : []))
}

/** Files that curl sends: `-d @file`, `-F name=@file`, `-T file`. */
function uploads(values: ReadonlyMap<string, Field>): Field[] {
  const files: Field[] = []
  for (const [name, value] of values) {
    const inText = /(?:^|=)[@<](.+)$/.exec(value.text)?.[1]
    if (name === 'T' || name === 'upload-file') files.push(value)
    else if (inText !== undefined && !['H', 'header', 'u', 'A'].includes(name)) files.push({ ...value, text: inText })
  }
  return files
}
