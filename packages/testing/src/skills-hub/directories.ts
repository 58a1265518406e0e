import { createHash } from 'node:crypto'
import { json } from './reply.ts'
import type { Question, Reply } from './reply.ts'
import type { SkillsWorld } from './world.ts'

const missing: Reply = { status: 404, body: 'Not found' }

/** `skills.sh/api/search`. */
export function skillsSh({ path, query }: Question, { skillsSh: all }: SkillsWorld): Reply {
  if (path !== '/api/search') return missing
  const words = (query.get('q') ?? '').toLowerCase()
  const skills = all.filter(({ name, source }) => `${source} ${name}`.toLowerCase().includes(words))
  return json({
    query: words,
    searchType: 'fuzzy',
    skills: skills.slice(0, Number(query.get('limit') ?? 50)),
    count: skills.length,
  })
}

/** `clawhub.ai/api/v1`, https://github.com/openclaw/clawhub/blob/main/docs/http-api.md */
export function clawHub({ path, query }: Question, { clawHub: skills }: SkillsWorld): Reply {
  const rows = [...skills].map(([slug, { version, summary }]) => ({ slug, displayName: slug, summary, version }))
  if (path === '/api/v1/skills') return json({ items: rows, nextCursor: null })
  if (path === '/api/v1/search') {
    const words = (query.get('q') ?? '').toLowerCase()
    return json({ results: rows.filter(({ slug, summary }) => `${slug} ${summary}`.toLowerCase().includes(words)) })
  }
  const [, slug = '', rest = ''] = /^\/api\/v1\/skills\/([^/]+)(\/.*)?$/.exec(path) ?? []
  const skill = skills.get(decodeURIComponent(slug))
  if (!skill) return missing
  const moderation = skill.isMalware ? { isSuspicious: true, isMalwareBlocked: true } : null
  if (rest === '')
    return json({ skill: { slug, summary: skill.summary }, latestVersion: { version: skill.version }, moderation })
  if (rest === `/versions/${skill.version}`) {
    const files = [...skill.files].map(([name, text]) => {
      const sha256 = createHash('sha256')
        .update(skill.corrupt ? `${text}!` : text)
        .digest('hex')
      return { path: name, size: text.length, sha256 }
    })
    return json({ version: { version: skill.version, files } })
  }
  const text = skill.files.get(query.get('path') ?? '')
  return rest === '/file' && text !== undefined ? { status: 200, body: text } : missing
}

/** `chat-agents.lobehub.com`. */
export function lobeHub({ path }: Question, { lobeHub: agents }: SkillsWorld): Reply {
  const row = (identifier: string, title: string, description: string) => {
    return {
      identifier,
      author: 'somebody',
      createAt: '2026-01-01',
      meta: { title, description, tags: ['role'] },
      schemaVersion: 1,
    }
  }
  if (path === '/index.json') {
    return json({
      schemaVersion: 1,
      agents: [...agents].map(([id, { title, description }]) => row(id, title, description)),
    })
  }
  const id = decodeURIComponent(path.slice(1)).replace(/\.json$/, '')
  const agent = agents.get(id)
  return agent
    ? json({ ...row(id, agent.title, agent.description), config: { systemRole: agent.systemRole } })
    : missing
}

/** A site with `/.well-known`. */
export function wellKnown({ path }: Question, { wellKnown: files }: SkillsWorld): Reply {
  const content = files.get(decodeURIComponent(path))
  return content === undefined ? missing : { status: 200, body: content }
}
