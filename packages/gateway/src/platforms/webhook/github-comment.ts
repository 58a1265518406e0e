import type { Environment } from '@hermes/core/agent/context.ts'
import { runInGroup } from '@hermes/core/terminals/run-in-group.ts'
import type { GroupOutcome } from '@hermes/core/terminals/run-in-group.ts'
import { PlatformError } from '../platform-error.ts'
import { renderTemplate } from './template.ts'

/** The target's name in `deliver`. */
export const githubComment = 'github_comment'

/** How long GitHub's command line may take, ms; longest comment that GitHub takes, characters. */
const [timeoutMs, maxComment] = [30_000, 65_536]

/** Most that it may print, characters. */
const maxChars = 1024 * 1024

/** Words of `gh` where GitHub was not reached. */
const unreached =
  /could not resolve host|error connecting|connection (refused|reset)|network is unreachable|no such host/i

/** What `gh` needs of the environment: nothing of ours. */
const passedOn = /^(PATH|HOME|USER|LANG|LC_\w+|TMPDIR|XDG_\w+|GH_\w+|GITHUB_\w+|SSL_CERT_\w+|(HTTPS?|ALL|NO)_PROXY)$/i

/** A pull request, or an issue. */
export interface CommentPlace {
  readonly repo: string
  readonly number: string
}

interface Extra {
  readonly repo?: string | undefined
  readonly pr_number?: string | undefined
}

/** Where an event's answer is written: as the route says, else what the event is about. */
export function commentTarget(extra: Extra, payload: unknown): string {
  const first = (...templates: readonly string[]) =>
    templates.map((template) => renderTemplate(template, payload)).find((value) => !value.includes('{'))
  const repo = extra.repo === undefined ? first('{repository.full_name}') : renderTemplate(extra.repo, payload)
  const number =
    extra.pr_number === undefined
      ? first('{pull_request.number}', '{issue.number}', '{number}')
      : renderTemplate(extra.pr_number, payload)
  return `${githubComment}:${repo ?? ''}#${number ?? ''}`
}

/** Undefined where the target is none. Throws `PlatformError` where it does not say which pull request. */
export function readCommentTarget(target: string): CommentPlace | undefined {
  if (!target.startsWith(`${githubComment}:`)) return undefined
  // What an event says goes to a program: nothing but names and numbers.
  const [, repo, number] = /^\w+:([\w.][\w.-]*\/[\w.][\w.-]*)#(\d{1,10})$/.exec(target) ?? []
  if (repo !== undefined && number !== undefined) return { repo, number }
  throw new PlatformError(
    'refused',
    'The event tells of no pull request. Set deliver_extra.repo and deliver_extra.pr_number of the route.',
  )
}

/** Writes a comment with GitHub's own command line, under its sign-in. Throws `PlatformError`. */
export async function writeComment(
  { repo, number, text }: CommentPlace & { readonly text: string },
  environment: Environment,
  signal: AbortSignal,
): Promise<void> {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => passedOn.test(name)))
  const args = ['pr', 'comment', number, '--repo', repo, '--body-file', '-']
  const input = text.slice(0, maxComment).toWellFormed()
  const outcome = await runInGroup({ program: 'gh', args, env, input, timeoutMs, maxChars }, signal)
  if (outcome.end !== 'exited' || outcome.code !== 0) throw asPlatformError(outcome)
}

function asPlatformError({ end, stderr }: GroupOutcome): PlatformError {
  if (end === 'not-started') {
    return new PlatformError('refused', 'GitHub’s command line (gh) is not there: https://cli.github.com.')
  }
  if (end === 'late') return new PlatformError('uncertain', 'GitHub’s command line took too long.')
  const said = stderr.trim().split('\n')[0]?.slice(0, 300) ?? ''
  return new PlatformError(unreached.test(said) ? 'unreachable' : 'refused', `gh: ${said || 'it failed'}`)
}
