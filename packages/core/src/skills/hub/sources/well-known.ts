import { createHash } from 'node:crypto'
import { z } from 'zod'
import { parseFrontmatter } from '../../frontmatter.ts'
import { skillMetadata } from '../../metadata.ts'
import { unpack, withoutTopFolder } from '../archive.ts'
import { bundleName, checkedBundle, fetchLimits } from '../bundle.ts'
import type { SkillBundle } from '../bundle.ts'
import { HubError } from '../hub-error.ts'
import { inParallel } from '../in-parallel.ts'
import { hourMs } from '../index-cache.ts'
import { matching } from '../match.ts'
import type { SkillSource, SourceContext } from '../source.ts'
import { parseJson, requireOk } from '../web.ts'

// Sites that publish skills: https://github.com/cloudflare/agent-skills-discovery-rfc. Its three forms are read: paths
// alone (0.1), paths with digests, and one artefact a skill with its digest (0.2).

const folders = ['/.well-known/agent-skills', '/.well-known/skills'] as const

const entrySchema = z.looseObject({
  name: z.string(),
  description: z.string().catch(''),
  type: z.string().optional(),
  url: z.string().optional(),
  digest: z.string().optional(),
  files: z.array(z.union([z.string(), z.looseObject({ path: z.string(), digest: z.string().optional() })])).optional(),
})
const schema = z.looseObject({ skills: z.array(entrySchema) })

type Entry = z.infer<typeof entrySchema>

interface Site {
  /** Where the index lies, without `index.json`. */
  readonly base: string
  readonly skills: readonly Entry[]
}

/** Any site with an index of skills: its address, or `well-known:<address>`; also the address of a single SKILL.md. */
export function wellKnown(context: SourceContext): SkillSource {
  const { web, cache } = context

  async function siteOf(url: URL, signal: AbortSignal): Promise<Site> {
    return cache.get(`well-known ${url.origin}`, {
      maxAgeMs: hourMs,
      schema: z.object({ base: z.string(), skills: z.array(entrySchema) }),
      load: async () => {
        for (const folder of folders) {
          const base = `${url.origin}${folder}`
          const answer = await web.send({ url: `${base}/index.json` }, signal)
          if (answer.status !== 404 && answer.status !== 410) {
            return { base, skills: parseJson(requireOk(answer, 'index of skills'), schema).skills }
          }
        }
        throw new HubError('not-found', `${url.host} publishes no skills (${folders[0]}/index.json).`)
      },
    })
  }

  async function download(url: string, digest: string | undefined, signal: AbortSignal): Promise<Uint8Array> {
    const answer = requireOk(await web.send({ url, maxBytes: fetchLimits.bytes }, signal), url)
    const found = `sha256:${createHash('sha256').update(answer.bytes).digest('hex')}`
    if (digest !== undefined && digest.toLowerCase() !== found)
      throw new HubError('bad-answer', `${url} is not what its index says (digest). Not used.`)
    return answer.bytes
  }

  async function filesOf(entry: Entry, { base }: Site, signal: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>> {
    if (entry.url !== undefined) {
      const bytes = await download(sameOrigin(entry.url, base), entry.digest, signal)
      return entry.type === 'archive' ? withoutTopFolder(unpack(bytes)) : new Map([['SKILL.md', bytes]])
    }
    const listed = (entry.files ?? ['SKILL.md']).map((file) =>
      typeof file === 'string' ? { path: file, digest: undefined } : file,
    )
    if (listed.length > fetchLimits.files)
      throw new HubError('too-large', `${entry.name} has ${listed.length} files; that is no skill.`)
    const fetched = await inParallel(listed, 6, async ({ path, digest }) => {
      const place = path.split('/').map(encodeURIComponent).join('/')
      return [
        path,
        await download(sameOrigin(`${base}/${encodeURIComponent(entry.name)}/${place}`, base), digest, signal),
      ] as const
    })
    return new Map(fetched)
  }

  return {
    name: 'well-known',
    accepts: (identifier) =>
      /^(?:well-known:)?https?:\/\//.test(identifier) && !/^https?:\/\/(?:www\.)?github\.com\//.test(identifier),
    async list(query, limit, signal) {
      const url = URL.parse(query.trim().replace(/^well-known:/, ''))
      // Sites cannot be searched for; one that is named is listed.
      if (!url || !/^https?:$/.test(url.protocol)) return []
      const site = await siteOf(url, signal)
      const listings = site.skills.map(({ name, description }) => {
        return {
          name,
          description: description.slice(0, 300).toWellFormed(),
          identifier: `well-known:${site.base}/${name}`,
          source: 'well-known',
          trust: 'community' as const,
        }
      })
      return matching(listings, '', limit)
    },
    async fetch(identifier, signal) {
      const url = URL.parse(identifier.replace(/^well-known:/, ''))
      if (!url) throw new HubError('invalid', `"${identifier}" is no address.`)
      if (url.pathname.endsWith('.md')) return single(url, await download(url.href, undefined, signal))
      const site = await siteOf(url, signal)
      const entry = wanted(site, url)
      return checkedBundle({
        name: bundleName(entry.name),
        identifier: `well-known:${site.base}/${entry.name}`,
        source: 'well-known',
        trust: 'community',
        files: await filesOf(entry, site, signal),
        metadata: { index: `${site.base}/index.json`, ...(entry.digest !== undefined && { digest: entry.digest }) },
      })
    },
  }
}

function wanted({ skills, base }: Site, url: URL): Entry {
  const inIndex = folders.find((folder) => url.pathname.startsWith(`${folder}/`))
  const rest = inIndex ? url.pathname.slice(inIndex.length + 1) : url.hash.slice(1)
  const name = decodeURIComponent(rest).split('/')[0]
  const found = skills.find((one) => one.name === name)
  if (found) return found
  const names = skills
    .slice(0, 20)
    .map((one) => one.name)
    .join(', ')
  if (name && name !== 'index.json')
    throw new HubError('not-found', `${url.host} has no skill "${name}". It has: ${names}.`)
  const [only] = skills
  if (only && skills.length === 1) return only
  throw new HubError('ambiguous', `${url.host} has ${skills.length} skills: ${names}. Name one: ${base}/<name>.`)
}

/** A page that is a skill by itself; it is called what it calls itself. */
async function single(url: URL, bytes: Uint8Array): Promise<SkillBundle> {
  const { fields, form } = await parseFrontmatter(new TextDecoder().decode(bytes))
  if (form === 'none') throw new HubError('not-found', `${url.href} is no SKILL.md.`)
  const folder = url.pathname.split('/').at(-2) ?? ''
  const { name } = skillMetadata(fields, folder)
  return checkedBundle({
    name: bundleName(name),
    identifier: url.href,
    source: 'well-known',
    trust: 'community',
    files: new Map([['SKILL.md', bytes]]),
    metadata: {},
  })
}

/** An index speaks for its own site only. */
function sameOrigin(target: string, base: string): string {
  const url = URL.parse(target, `${base}/index.json`)
  if (url && url.origin === new URL(base).origin) return url.href
  throw new HubError('invalid', `The index of ${new URL(base).host} points to another site: ${target.slice(0, 200)}`)
}
