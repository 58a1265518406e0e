import { execFile } from 'node:child_process'
import { AttachmentError, fenced, maxAttachmentBytes } from './attachment.ts'
import type { Attachment, AttachmentSources } from './attachment.ts'
import { refuseSteering } from './refuse-steering.ts'
import type { Reference } from './reference.ts'
import { credentialNames } from '../../security/credential-files.ts'

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

/** What git says. Throws `AttachmentError`; when `signal` aborts, its reason. */
function git(args: readonly string[], { workspace, environment, signal }: AttachmentSources): Promise<string> {
  const { PATH, HOME } = environment
  const env = { PATH, HOME, LC_ALL: 'C.UTF-8', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' }
  const options = { cwd: workspace, env, timeout: timeoutMs, maxBuffer: maxAttachmentBytes, signal } as const
  return new Promise((resolve, reject) => {
    execFile('git', [...settings, ...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout)
      else if (signal.aborted) reject(signal.reason)
      else reject(failure(error, stderr))
    })
  })
}

function failure(error: Error & { readonly code?: string | number | null; readonly killed?: boolean }, stderr: string) {
  if (error.code === 'ENOENT') return new AttachmentError('git', 'git is not installed', { cause: error })
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return new AttachmentError('too-large', `there is more than ${maxAttachmentBytes} bytes of it`, { cause: error })
  }
  if (error.killed) return new AttachmentError('git', `git took more than ${timeoutMs / 1000} s`, { cause: error })
  const said =
    stderr
      .trim()
      .split('\n')[0]
      ?.replace(/^fatal: /, '') || 'git failed'
  return new AttachmentError('git', said.slice(0, 300), { cause: error })
}
