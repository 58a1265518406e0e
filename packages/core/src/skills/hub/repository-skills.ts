import { z } from 'zod'
import { parseFrontmatter } from '../frontmatter.ts'
import { repositoryTrust } from '../guard/policy.ts'
import { skillMetadata } from '../metadata.ts'
import { bundleName, checkedBundle, fetchLimits } from './bundle.ts'
import type { SkillBundle, SkillListing } from './bundle.ts'
import type { RepositoryTree, TreeFile } from './github.ts'
import { HubError } from './hub-error.ts'
import { hourMs } from './index-cache.ts'
import { inParallel } from './in-parallel.ts'
import type { SourceContext } from './source.ts'

/** Most skills of one repository whose descriptions are read. */
const maxListed = 150

const listingSchema = z.array(z.object({ name: z.string(), description: z.string(), path: z.string() }))

export interface RepositoryPlace {
  readonly repository: string
  readonly ref?: string
  /** The folder in it; `''`: all of it. */
  readonly path: string
}

/** The skills in a folder of a repository, kept for an hour. */
export async function repositoryListings(
  { github, cache }: Pick<SourceContext, 'github' | 'cache'>,
  { repository, ref, path }: RepositoryPlace,
  signal: AbortSignal,
): Promise<SkillListing[]> {
  const entries = await cache.get(`github ${repository} ${ref ?? ''} ${path}`, {
    maxAgeMs: hourMs,
    schema: listingSchema,
    load: async () => {
      const tree = await github.tree(repository, ref, signal)
      const documents = skillDocuments(tree)
      const inside = documents.filter((file) => path === '' || file.path.startsWith(`${path.replace(/\/$/, '')}/`))
      return inParallel((inside.length > 0 ? inside : documents).slice(0, maxListed), 8, async (file) => {
        const folder = folderOf(file)
        const text = new TextDecoder().decode(await github.file(repository, tree.commit, file, signal))
        const { fields } = await parseFrontmatter(text)
        const { description } = skillMetadata(fields, folder)
        return {
          name: bundleName(folder || repository),
          description: description.slice(0, 300).toWellFormed(),
          path: folder,
        }
      })
    },
  })
  const trust = repositoryTrust(repository)
  return entries.map(({ name, description, path: folder }) => {
    return {
      name,
      description,
      identifier: folder === '' ? repository : `${repository}/${folder}`,
      source: 'github',
      trust,
    }
  })
}

/** One skill of a repository: by its folder, or by a name that only one folder has. */
export async function repositoryBundle(
  { github }: Pick<SourceContext, 'github'>,
  { repository, ref, path }: RepositoryPlace,
  signal: AbortSignal,
): Promise<SkillBundle> {
  const tree = await github.tree(repository, ref, signal)
  const folder = locate(tree, repository, path)
  const inside = tree.files.filter((file) => folder === '' || file.path.startsWith(`${folder}/`))
  const own = withoutNested(inside, folder)
  if (own.length > fetchLimits.files)
    throw new HubError('too-large', `${repository}/${folder} has ${own.length} files; that is no skill.`)
  const link = own.find(({ isLink }) => isLink)
  if (link)
    throw new HubError(
      'invalid',
      `${repository}/${folder} holds a link (${link.path}); skills with links are not installed.`,
    )
  const files = await inParallel(own, 8, async (file) => {
    const name = folder === '' ? file.path : file.path.slice(folder.length + 1)
    return [name, await github.file(repository, tree.commit, file, signal)] as const
  })
  return checkedBundle({
    name: bundleName(folder || repository),
    identifier: folder === '' ? repository : `${repository}/${folder}`,
    source: 'github',
    trust: repositoryTrust(repository),
    files: new Map(files),
    metadata: { repository, path: folder, commit: tree.commit, ...(ref !== undefined && { ref }) },
  })
}

/** The folder that is meant, or a `HubError` that names the candidates. */
function locate(tree: RepositoryTree, repository: string, wanted: string): string {
  const folders = skillDocuments(tree).map(folderOf)
  const path = wanted.replace(/\/?SKILL\.md$/, '').replace(/^\/+|\/+$/g, '')
  if (folders.includes(path) && path !== '') return path
  const candidates =
    path === ''
      ? folders
      : folders.filter((folder) => bundleName(folder) === bundleName(path) || folder.endsWith(`/${path}`))
  const [only] = candidates
  if (only !== undefined && candidates.length === 1) return only
  if (path === '' && folders.includes('') && folders.length > 0) return ''
  const names = (candidates.length > 0 ? candidates : folders).slice(0, 20).join(', ')
  if (candidates.length > 1)
    throw new HubError('ambiguous', `${repository} has several: ${names}. Name one: ${repository}/<folder>.`)
  if (folders.length === 0)
    throw new HubError(
      'not-found',
      `${repository} has no skill${tree.isPartial ? ' that could be found: it is too large to be listed' : ''}.`,
    )
  throw new HubError('not-found', `${repository} has no skill "${path}". It has: ${names}.`)
}

function skillDocuments({ files }: RepositoryTree): TreeFile[] {
  return files.filter(
    ({ path, isLink }) =>
      !isLink && (path === 'SKILL.md' || path.endsWith('/SKILL.md')) && !path.startsWith('.github/'),
  )
}

function folderOf({ path }: TreeFile): string {
  return path === 'SKILL.md' ? '' : path.slice(0, -'/SKILL.md'.length)
}

/** A folder's files without those of skills below it; of a repository that is one skill not what Git and hosts keep there. */
function withoutNested(files: readonly TreeFile[], folder: string): TreeFile[] {
  const nested = files.flatMap((file) => {
    const other = folderOf(file)
    return file.path.endsWith('/SKILL.md') && other !== folder && !/\/templates\//.test(file.path) ? [`${other}/`] : []
  })
  return files.filter(({ path }) => {
    return (
      !nested.some((prefix) => path.startsWith(prefix)) &&
      !(folder === '' && /^\.(?:github|gitignore|gitattributes)/.test(path))
    )
  })
}
