import { createHash } from 'node:crypto'
import { json, refused } from './reply.ts'
import type { Question, Reply } from './reply.ts'
import { repository } from './world.ts'
import type { SkillsWorld, StandInRepository } from './world.ts'

// GitHub as its public documentation describes it, https://docs.github.com/en/rest, as far as skills need it: commits,
// trees, blobs, references, forks, pull requests, and the host of raw files.

/** The account that the stand-in's token belongs to. */
export const standInLogin = 'ann'

type Files = ReadonlyMap<string, string | Uint8Array>

const bytesOf = (content: string | Uint8Array): Buffer => Buffer.from(content)

function blobSha(content: string | Uint8Array): string {
  const bytes = bytesOf(content)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** The same files make the same tree and commit; that is all that clients rely on. */
function treeSha(files: Files): string {
  const hash = createHash('sha1')
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${path}\0${blobSha(content)}`)
  return hash.digest('hex')
}

const commitSha = (files: Files): string =>
  createHash('sha1')
    .update(`commit ${treeSha(files)}`)
    .digest('hex')

/** What was posted and belongs to no branch yet. */
export interface GitObjects {
  readonly blobs: Map<string, Buffer>
  readonly trees: Map<string, Files>
  readonly commits: Map<string, Files>
}

export function emptyObjects(): GitObjects {
  return { blobs: new Map(), trees: new Map(), commits: new Map() }
}

/** A request to `api.github.com`. */
export function gitHubApi(question: Question, world: SkillsWorld, objects: GitObjects): Reply {
  if (question.hasToken && !question.isAuthorized) return refused(401, 'Bad credentials')
  if (world.apiRequestsLeft <= 0) {
    const reset = String(Math.floor(Date.now() / 1000) + 1800)
    return refused(403, 'API rate limit exceeded', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })
  }
  world.apiRequestsLeft -= 1
  const match = /^\/repos\/([^/]+\/[^/]+)(?:\/(.*))?$/.exec(question.path)
  const name = match?.[1] ?? ''
  const repo = world.repositories.get(name)
  if (!match || !repo || (repo.isPrivate && !question.isAuthorized)) return refused(404, 'Not Found')
  const rest = match[2] ?? ''
  if (question.method === 'POST') return change({ question, world, objects, name, repo, rest })
  return look(question, repo, name, rest)
}

function look({ isAuthorized }: Question, repo: StandInRepository, name: string, rest: string): Reply {
  const head = commitSha(repo.files)
  if (rest === '')
    return json({
      full_name: name,
      default_branch: 'main',
      permissions: { push: isAuthorized && repo.mayPush === true },
    })
  if (/^commits\/(?:HEAD|main)$/.test(rest) || rest === `commits/${head}`)
    return json({ sha: head, commit: { tree: { sha: treeSha(repo.files) } } })
  if (rest === 'git/ref/heads/main') return json({ ref: 'refs/heads/main', object: { type: 'commit', sha: head } })
  if (rest === `git/commits/${head}`) return json({ sha: head, tree: { sha: treeSha(repo.files) } })
  if (rest === `git/trees/${treeSha(repo.files)}`) {
    const tree = [...repo.files].map(([path, content]) => {
      const mode = repo.links?.has(path) ? '120000' : '100644'
      return { path, mode, type: 'blob', sha: blobSha(content), size: bytesOf(content).length }
    })
    return json({ sha: treeSha(repo.files), tree, truncated: false })
  }
  return refused(404, 'Not Found')
}

interface Change {
  readonly question: Question
  readonly world: SkillsWorld
  readonly objects: GitObjects
  readonly name: string
  readonly repo: StandInRepository
  readonly rest: string
}

function change({ question, world, objects, name, repo, rest }: Change): Reply {
  if (!question.isAuthorized) return refused(401, 'Requires authentication')
  // A request's body is an object in every call below.
  const body = question.json as Record<string, unknown>
  if (rest === 'forks') {
    const fork = `${standInLogin}/${name.split('/')[1]}`
    if (!world.repositories.has(fork))
      world.repositories.set(fork, repository(Object.fromEntries(repo.files), { mayPush: true }))
    return json({ full_name: fork }, 202)
  }
  if (rest === 'pulls') {
    const { title, head, base, body: text } = body as { title: string; head: string; base: string; body: string }
    repo.pulls.push({ title, head, base, body: text })
    return json({ number: repo.pulls.length, html_url: `https://github.com/${name}/pull/${repo.pulls.length}` }, 201)
  }
  if (!repo.mayPush) return refused(403, 'Resource not accessible by personal access token')
  if (rest === 'git/blobs') {
    const bytes = Buffer.from(String(body['content']), body['encoding'] === 'base64' ? 'base64' : 'utf8')
    objects.blobs.set(blobSha(bytes), bytes)
    return json({ sha: blobSha(bytes) }, 201)
  }
  if (rest === 'git/trees') {
    if (body['base_tree'] !== treeSha(repo.files)) return refused(422, 'base_tree is not a valid tree')
    const files = new Map<string, string | Uint8Array>(repo.files)
    for (const { path, sha } of body['tree'] as { path: string; sha: string }[])
      files.set(path, objects.blobs.get(sha) ?? '')
    objects.trees.set(treeSha(files), files)
    return json({ sha: treeSha(files) }, 201)
  }
  if (rest === 'git/commits') {
    const files = objects.trees.get(String(body['tree']))
    if (!files) return refused(422, 'Tree SHA does not exist')
    objects.commits.set(commitSha(files), files)
    return json({ sha: commitSha(files) }, 201)
  }
  if (rest === 'git/refs') {
    const files = objects.commits.get(String(body['sha']))
    const branch = String(body['ref']).replace(/^refs\/heads\//, '')
    if (!files || repo.branches.has(branch)) return refused(422, 'Reference cannot be made')
    repo.branches.set(branch, files)
    return json({ ref: body['ref'] }, 201)
  }
  return refused(404, 'Not Found')
}

/** A request to `raw.githubusercontent.com`. */
export function gitHubRaw({ path, isAuthorized }: Question, world: SkillsWorld): Reply {
  const [owner = '', name = '', commit = '', ...rest] = path.slice(1).split('/').map(decodeURIComponent)
  const repo = world.repositories.get(`${owner}/${name}`)
  const content = repo?.files.get(rest.join('/'))
  if (!repo || content === undefined || commit !== commitSha(repo.files) || (repo.isPrivate && !isAuthorized)) {
    return { status: 404, body: '404: Not Found' }
  }
  return { status: 200, body: repo.corrupt ? `${content.toString()}!` : content }
}
