import { createHash } from 'node:crypto'
import { z } from 'zod'
import { bundleName, checkedBundle, fetchLimits } from '../bundle.ts'
import { HubError } from '../hub-error.ts'
import { inParallel } from '../in-parallel.ts'
import { hourMs } from '../index-cache.ts'
import type { SkillSource, SourceContext } from '../source.ts'
import { parseJson, requireOk } from '../web.ts'

// https://github.com/openclaw/clawhub/blob/main/docs/http-api.md; reading needs no token.

const prefix = 'clawhub/'

const row = z.looseObject({
  slug: z.string(),
  displayName: z.string().nullish(),
  summary: z.string().nullish(),
  version: z.string().nullish(),
})
const searchSchema = z.object({ results: z.array(row) })
const listSchema = z.object({ items: z.array(row) })
const skillSchema = z.looseObject({
  skill: row,
  latestVersion: z.looseObject({ version: z.string() }).nullish(),
  moderation: z.looseObject({ isSuspicious: z.boolean().nullish(), isMalwareBlocked: z.boolean().nullish() }).nullish(),
})
const versionSchema = z.looseObject({
  version: z.looseObject({
    files: z.array(z.looseObject({ path: z.string(), size: z.number().nullish(), sha256: z.string().nullish() })),
  }),
})

/** The registry ClawHub. */
export function clawHub({ environment, web, cache }: SourceContext): SkillSource {
  const base = (environment['HERMES_SKILLS_CLAWHUB_URL'] || 'https://clawhub.ai').replace(/\/+$/, '')

  async function get<T>(path: string, schema: z.ZodType<T>, what: string, signal: AbortSignal): Promise<T> {
    return parseJson(requireOk(await web.send({ url: `${base}/api/v1${path}` }, signal), what), schema)
  }

  return {
    name: 'clawhub',
    accepts: (identifier) => identifier.startsWith(prefix),
    async list(query, limit, signal) {
      const words = query.trim()
      const rows = await cache.get(`clawhub ${base} ${words} ${limit}`, {
        maxAgeMs: hourMs,
        schema: z.array(row),
        load: async () => {
          if (words === '')
            return (
              await get(
                `/skills?limit=${Math.min(limit, 200)}&sort=downloads&nonSuspiciousOnly=true`,
                listSchema,
                'list of skills',
                signal,
              )
            ).items
          return (
            await get(
              `/search?q=${encodeURIComponent(words)}&limit=${limit}&nonSuspiciousOnly=true`,
              searchSchema,
              'search',
              signal,
            )
          ).results
        },
      })
      return rows.map(({ slug, displayName, summary, version }) => {
        const description = (summary || displayName || '').slice(0, 300).toWellFormed()
        return {
          name: bundleName(slug),
          description,
          identifier: prefix + slug,
          source: 'clawhub',
          trust: 'community',
          ...(version && { details: { version } }),
        }
      })
    },
    async fetch(identifier, signal) {
      const slug = identifier.slice(prefix.length)
      const path = `/skills/${slug.split('/').map(encodeURIComponent).join('/')}`
      const { latestVersion, moderation } = await get(path, skillSchema, `skill ${slug}`, signal)
      if (moderation?.isMalwareBlocked)
        throw new HubError('blocked', `ClawHub blocks ${slug} as malware. It is not fetched.`)
      if (!latestVersion) throw new HubError('not-found', `ClawHub has no version of ${slug}.`)
      const { version } = latestVersion
      const { version: release } = await get(
        `${path}/versions/${encodeURIComponent(version)}`,
        versionSchema,
        `version ${version} of ${slug}`,
        signal,
      )
      if (release.files.length > fetchLimits.files)
        throw new HubError('too-large', `${slug} has ${release.files.length} files; that is no skill.`)
      const files = await inParallel(release.files, 4, async (file) => {
        const url = `${base}/api/v1${path}/file?path=${encodeURIComponent(file.path)}&version=${encodeURIComponent(version)}`
        const { bytes } = requireOk(await web.send({ url }, signal), `file ${file.path} of ${slug}`)
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        if (file.sha256 && file.sha256 !== sha256)
          throw new HubError('bad-answer', `${file.path} of ${slug} is not what ClawHub lists. Not used.`)
        return [file.path, bytes] as const
      })
      const metadata = { version, ...(moderation?.isSuspicious && { suspicious: true }) }
      return checkedBundle({
        name: bundleName(slug),
        identifier,
        source: 'clawhub',
        trust: 'community',
        files: new Map(files),
        metadata,
      })
    },
  }
}
