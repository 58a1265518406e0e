import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Environment } from '../../agent/context.ts'
import { gitHubToken } from './github-auth.ts'
import { HubError } from './hub-error.ts'
import { parseJson, requireOk } from './web.ts'
import type { Web, WebAnswer } from './web.ts'

// GitHub's REST API, https://docs.github.com/en/rest. Trees come from the API, files from the raw host, which does not
// count against the 60 requests an hour that the API takes without a token. Files are checked against the tree's hashes.

/** A file in a repository's tree. */
export interface TreeFile {
  readonly path: string
  /** Git's hash of its content. */
  readonly sha: string
  readonly size: number
  readonly isLink: boolean
}

/** A repository's files at one commit. */
export interface RepositoryTree {
  readonly commit: string
  readonly files: readonly TreeFile[]
  /** Whether GitHub left files out, since there are too many. */
  readonly isPartial: boolean
}

export interface GitHub {
  /** All files of `owner/name` at a branch, tag or commit; the default branch when absent. */
  tree(repository: string, ref: string | undefined, signal: AbortSignal): Promise<RepositoryTree>
  /** The bytes of one file of a tree. Throws when they are not what the tree says. */
  file(repository: string, commit: string, file: TreeFile, signal: AbortSignal): Promise<Uint8Array>
  /** Any request to the API. `what` is for messages. */
  api<T>(path: string, options: ApiOptions<T>, signal: AbortSignal): Promise<T>
  /** Whether there is a token. */
  hasToken(signal: AbortSignal): Promise<boolean>
}

export interface ApiOptions<T> {
  readonly schema: z.ZodType<T>
  readonly what: string
  readonly json?: unknown
}

export interface GitHubOptions {
  readonly environment: Environment
  readonly web: Web
  readonly now: () => number
}

const treeSchema = z.object({
  tree: z.array(
    z.looseObject({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: z.string(),
      size: z.number().optional(),
    }),
  ),
  truncated: z.boolean().optional(),
})
const commitSchema = z.object({ sha: z.string(), commit: z.object({ tree: z.object({ sha: z.string() }) }) })

const maxFileBytes = 4 * 1024 * 1024

export function createGitHub({ environment, web, now }: GitHubOptions): GitHub {
  const apiUrl = trimmed(
    environment['HERMES_SKILLS_GITHUB_API_URL'] || environment['GITHUB_API_URL'] || 'https://api.github.com',
  )
  const rawUrl = trimmed(environment['HERMES_SKILLS_GITHUB_RAW_URL'] || 'https://raw.githubusercontent.com')
  let token: Promise<string | undefined> | undefined

  async function authorization(signal: AbortSignal): Promise<Record<string, string>> {
    token ??= gitHubToken({ environment, apiUrl, web, now }, signal)
    const value = await token
    return value ? { authorization: `Bearer ${value}` } : {}
  }

  async function api<T>(path: string, { schema, what, json }: ApiOptions<T>, signal: AbortSignal): Promise<T> {
    const headers = {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      ...(await authorization(signal)),
    }
    const answer = await web.send({ url: `${apiUrl}${path}`, headers, json, maxBytes: 32 * 1024 * 1024 }, signal)
    explain(answer, what, 'authorization' in headers, now)
    return parseJson(answer, schema)
  }

  return {
    api,
    hasToken: async (signal) => 'authorization' in (await authorization(signal)),
    async tree(repository, ref, signal) {
      const name = checkedRepository(repository)
      const commit = await api(
        `/repos/${name}/commits/${encodeURIComponent(ref ?? 'HEAD')}`,
        { schema: commitSchema, what: `repository ${name}` },
        signal,
      )
      const tree = await api(
        `/repos/${name}/git/trees/${commit.commit.tree.sha}?recursive=1`,
        { schema: treeSchema, what: `files of ${name}` },
        signal,
      )
      const files = tree.tree.flatMap(({ path, mode, type, sha, size }) => {
        return type === 'blob' ? [{ path, sha, size: size ?? 0, isLink: mode === '120000' }] : []
      })
      return { commit: commit.sha, files, isPartial: tree.truncated === true }
    },
    async file(repository, commit, { path, sha, size }, signal) {
      if (size > maxFileBytes) throw new HubError('too-large', `${path} in ${repository} is ${size} bytes large.`)
      const place = path.split('/').map(encodeURIComponent).join('/')
      const url = `${rawUrl}/${checkedRepository(repository)}/${commit}/${place}`
      const answer = await web.send({ url, headers: await authorization(signal), maxBytes: maxFileBytes }, signal)
      const { bytes } = requireOk(answer, `file ${path} in ${repository}`)
      if (blobHash(bytes) !== sha)
        throw new HubError('bad-answer', `${path} of ${repository} is not what its commit says. Try again.`)
      return bytes
    },
  }
}

/** Git's hash of a file's content. */
export function blobHash(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** `owner/name`, or a `HubError`. */
export function checkedRepository(text: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/[\w.-]{1,100}$/.test(text) && !text.endsWith('/..') && !text.endsWith('/.'))
    return text
  throw new HubError('invalid', `"${text}" is no repository: write owner/name.`)
}

/** GitHub's refusals, with what to do. */
function explain(answer: WebAnswer, what: string, hasToken: boolean, now: () => number): void {
  const { status, headers } = answer
  const isLimit =
    status === 429 ||
    (status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined))
  if (isLimit) {
    const reset = Number(headers['x-ratelimit-reset']) * 1000
    const seconds = Number(headers['retry-after'])
    const waitMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : reset - now()
    const when = Number.isFinite(waitMs) && waitMs > 0 ? ` for ${Math.ceil(waitMs / 60_000)} more minutes` : ' for now'
    const hint = hasToken ? '' : ' Set GITHUB_TOKEN to be allowed 5,000 an hour in place of 60.'
    throw new HubError('rate-limited', `GitHub takes no more requests${when}.${hint}`)
  }
  if (status === 401) throw new HubError('auth', 'GitHub does not accept the token. Check GITHUB_TOKEN.')
  if (status === 403)
    throw new HubError('auth', `GitHub does not allow this: ${what}. The token lacks the right for it.`)
  if (status === 404) {
    const hint = hasToken ? '' : ' A private one needs GITHUB_TOKEN.'
    throw new HubError('not-found', `GitHub has no ${what}.${hint}`)
  }
  requireOk(answer, what)
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '')
}
