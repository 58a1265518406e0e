import { findProjectRoot } from '../context-files/project-root.ts'
import { AttachmentError, fenced, maxAttachmentBytes } from './attachment.ts'
import type { Attachment, AttachmentSources } from './attachment.ts'
import { refuseSteering } from './refuse-steering.ts'
import type { Reference } from './reference.ts'
import { credentialNames } from '../../security/credential-files.ts'
import { runInGroup } from '../../terminals/run-in-group.ts'
import type { GroupOutcome } from '../../terminals/run-in-group.ts'

const timeoutMs = 30_000
const maxCommits = 10

/** A repository's own settings could make git run programs; none of these does. */
const settings = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', '--no-pager']
const plainDiff = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty']

/** Everything but files that hold keys. */
const paths = ['--', ':/', ...credentialNames.map((name) => `:(top,exclude,icase,glob)**/${name}`)]

/** Changes that are not staged. */
export async function attachDiff(_reference: Reference, sources: AttachmentSources): Promise<Attachment> {
  return attachment(await git(['diff', ...plainDiff, ...paths], sources), '(no changes)', sources)
}

/** Changes that are staged. */
export async function attachStaged(_reference: Reference, sources: AttachmentSources): Promise<Attachment> {
  return attachment(await git(['diff', '--cached', ...plainDiff, ...paths], sources), '(no staged changes)', sources)
}

/** The last commits with their changes. */
export async function attachCommits({ value }: Reference, sources: AttachmentSources): Promise<Attachment> {
  if (!/^\d{1,6}$/.test(value)) throw new AttachmentError('git', 'write how many commits, e.g. @git:3')
  const count = Math.min(maxCommits, Math.max(1, Number(value)))
  const log = ['log', '-n', String(count), '-p', '--no-show-signature', ...plainDiff, ...paths]
  return attachment(await git(log, sources), '(no commits)', sources)
}

function attachment(output: string, empty: string, { redactor }: AttachmentSources): Attachment {
  refuseSteering(output, 'code')
  return { icon: '🧾', text: output.trim() === '' ? empty : fenced(redactor.redact(output), 'diff') }
}

type Variables = Readonly<Record<string, string | undefined>>

/** What git says. Throws `AttachmentError`; when `signal` aborts, its reason. */
async function git(args: readonly string[], sources: AttachmentSources): Promise<string> {
  const { PATH, HOME } = sources.environment
  const { gitRoot } = await findProjectRoot(sources.workspace)
  const base = {
    PATH,
    HOME,
    LC_ALL: 'C.UTF-8',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // A repository may say that its files lie somewhere else, or that what it lacks is to be fetched.
    ...(gitRoot !== undefined && { GIT_WORK_TREE: gitRoot }),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  }
  return run(args, { ...base, ...(await withoutFilters(base, sources)) }, sources)
}

/** Variables that take their programs from the filters of the repository's settings, which git would run on its files. */
async function withoutFilters(env: Variables, sources: AttachmentSources): Promise<Variables> {
  const wanted = [
    'config',
    '-z',
    '--name-only',
    '--get-regexp',
    String.raw`^filter\..*\.(clean|smudge|process|required)$`,
  ]
  const names = (await run(wanted, env, sources, [1])).split('\0').filter((name) => name !== '')
  const off = names.flatMap((name, at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, name.endsWith('.required') ? 'false' : ''],
  ])
  return { GIT_CONFIG_COUNT: String(names.length), ...Object.fromEntries(off) }
}

/** `codes`: exit codes beside 0 that say that there is nothing. */
async function run(
  args: readonly string[],
  env: Variables,
  { workspace, signal }: AttachmentSources,
  codes: readonly number[] = [],
): Promise<string> {
  const limits = { timeoutMs, maxChars: maxAttachmentBytes }
  const outcome = await runInGroup(
    { program: 'git', args: [...settings, ...args], cwd: workspace, env, ...limits },
    signal,
  )
  if (outcome.end === 'exited' && [0, ...codes].includes(outcome.code)) return outcome.stdout
  throw failure(outcome)
}

function failure({ end, stderr, failure: cause }: GroupOutcome): AttachmentError {
  if (cause && 'code' in cause && cause.code === 'ENOENT') {
    return new AttachmentError('git', 'git is not installed', { cause })
  }
  if (end === 'too-much') {
    return new AttachmentError('too-large', `there is more than ${maxAttachmentBytes} bytes of it`)
  }
  if (end === 'late') return new AttachmentError('git', `git took more than ${timeoutMs / 1000} s`)
  const said =
    stderr
      .trim()
      .split('\n')[0]
      ?.replace(/^fatal: /, '') || 'git failed'
  return new AttachmentError('git', said.slice(0, 300), { cause })
}
