import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { checkDocument } from '../edit/check-document.ts'
import { describeFindings } from '../guard/finding.ts'
import { SkillError } from '../skill-error.ts'
import { checkedRepository } from './github.ts'
import { HubError } from './hub-error.ts'
import type { Hub } from './hub.ts'
import { reviewBundle } from './review.ts'
import { local } from './sources/local.ts'

// https://docs.github.com/en/rest: blobs, a tree, a commit and a branch, then a pull request; in a fork where the token
// may not write to the repository itself.

export interface PublishRequest {
  /** The skill's folder. */
  readonly folder: string
  /** `owner/name` that it is offered to. */
  readonly repository: string
  /** Offer it although the guard found something. */
  readonly force: boolean
}

export interface Published {
  /** The pull request's page. */
  readonly url: string
  readonly branch: string
  readonly files: number
}

const repositorySchema = z.looseObject({
  default_branch: z.string(),
  permissions: z.looseObject({ push: z.boolean() }).partial().optional(),
})
const shaSchema = z.looseObject({ sha: z.string() })

/** How long a fresh fork may take to be there. */
const forkPolls = 20
const forkPollMs = 1_500

/** Offers a skill to a repository on GitHub as a pull request. Throws `HubError`; needs a token. */
export async function publishSkill(
  hub: Hub,
  { folder, repository, force }: PublishRequest,
  signal: AbortSignal,
): Promise<Published> {
  const { github } = hub
  const target = checkedRepository(repository)
  const { name, files } = await checkedSkill(hub, folder, force, signal)
  if (!(await github.hasToken(signal)))
    throw new HubError('auth', 'To publish on GitHub, set GITHUB_TOKEN to a token that may write to repositories.')
  const info = await github.api(`/repos/${target}`, { schema: repositorySchema, what: `repository ${target}` }, signal)
  const base = await branchHead(hub, target, info.default_branch, signal)
  const home = info.permissions?.push ? target : await fork(hub, target, signal)
  const branch = `skill/${name}-${randomBytes(3).toString('hex')}`
  const commit = await commitFiles(hub, { repository: home, base, name, files }, signal)
  await github.api(
    `/repos/${home}/git/refs`,
    { schema: z.unknown(), what: `branch in ${home}`, json: { ref: `refs/heads/${branch}`, sha: commit } },
    signal,
  )
  const head = home === target ? branch : `${home.split('/')[0]}:${branch}`
  const pull = await github.api(
    `/repos/${target}/pulls`,
    {
      schema: z.looseObject({ html_url: z.string() }),
      what: `pull request to ${target}`,
      json: {
        title: `Add skill: ${name}`,
        head,
        base: info.default_branch,
        body: `Adds the skill \`${name}\` (${files.size} files).`,
      },
    },
    signal,
  )
  return { url: pull.html_url, branch, files: files.size }
}

/** A skill that may be shown to the world. */
async function checkedSkill(hub: Hub, folder: string, force: boolean, signal: AbortSignal) {
  const bundle = await local(hub).fetch(folder, signal)
  const { report, text } = await reviewBundle(bundle)
  try {
    await checkDocument(text)
  } catch (error) {
    if (error instanceof SkillError)
      throw new HubError('invalid', error.message.replace('was not written', 'cannot be published'), { cause: error })
    throw error
  }
  const leaks = report.findings.filter(({ category }) => category === 'credential_exposure')
  if (leaks.length > 0 && !force)
    throw new HubError('blocked', `It may hold secrets; nothing was sent.\n${describeFindings(leaks)}`)
  if (report.verdict !== 'safe' && !force) {
    throw new HubError(
      'blocked',
      `The guard calls it ${report.verdict}; others could not install it.\n${describeFindings(report.findings)}`,
    )
  }
  return bundle
}

async function branchHead({ github }: Hub, repository: string, branch: string, signal: AbortSignal): Promise<string> {
  const schema = z.looseObject({ object: shaSchema })
  const path = `/repos/${repository}/git/ref/heads/${branch.split('/').map(encodeURIComponent).join('/')}`
  return (await github.api(path, { schema, what: `branch ${branch} of ${repository}` }, signal)).object.sha
}

/** Makes a fork, or finds the one that there is, and waits until it can be used. */
async function fork({ github }: Hub, repository: string, signal: AbortSignal): Promise<string> {
  const schema = z.looseObject({ full_name: z.string() })
  const made = await github.api(
    `/repos/${repository}/forks`,
    { schema, what: `fork of ${repository}`, json: {} },
    signal,
  )
  const name = checkedRepository(made.full_name)
  for (let poll = 0; poll < forkPolls; poll++) {
    try {
      await github.api(`/repos/${name}`, { schema: repositorySchema, what: `fork ${name}` }, signal)
      return name
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'not-found') throw error
      await sleep(forkPollMs, undefined, { signal })
    }
  }
  throw new HubError('bad-answer', `The fork ${name} is not ready yet. Try again in a minute.`)
}

interface CommitRequest {
  readonly repository: string
  /** The commit that it follows. */
  readonly base: string
  readonly name: string
  readonly files: ReadonlyMap<string, Uint8Array>
}

async function commitFiles(
  { github }: Hub,
  { repository, base, name, files }: CommitRequest,
  signal: AbortSignal,
): Promise<string> {
  const post = <T>(path: string, schema: z.ZodType<T>, json: unknown): Promise<T> => {
    return github.api(`/repos/${repository}/git/${path}`, { schema, what: `${path} of ${repository}`, json }, signal)
  }
  const parent = await github.api(
    `/repos/${repository}/git/commits/${base}`,
    { schema: z.looseObject({ tree: shaSchema }), what: `commit ${base}` },
    signal,
  )
  const tree: { path: string; mode: string; type: string; sha: string }[] = []
  for (const [path, bytes] of files) {
    const { sha } = await post('blobs', shaSchema, {
      content: Buffer.from(bytes).toString('base64'),
      encoding: 'base64',
    })
    tree.push({ path: `skills/${name}/${path}`, mode: '100644', type: 'blob', sha })
  }
  const { sha: root } = await post('trees', shaSchema, { base_tree: parent.tree.sha, tree })
  return (await post('commits', shaSchema, { message: `Add skill: ${name}`, tree: root, parents: [base] })).sha
}
