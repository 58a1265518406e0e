import type { GuardVerdict } from './finding.ts'

/** How far a skill's origin is trusted. */
export type SkillTrust = 'builtin' | 'trusted' | 'community' | 'agent-created'

/** `ask`: only if a person says so. */
export type GuardDecision = 'allow' | 'block' | 'ask'

const policy: Readonly<Record<SkillTrust, Readonly<Record<GuardVerdict, GuardDecision>>>> = {
  builtin: { safe: 'allow', caution: 'allow', dangerous: 'allow' },
  trusted: { safe: 'allow', caution: 'allow', dangerous: 'block' },
  community: { safe: 'allow', caution: 'block', dangerous: 'block' },
  'agent-created': { safe: 'allow', caution: 'allow', dangerous: 'ask' },
}

/** Whether a skill of this origin may be installed after this verdict. */
export function guardDecision(trust: SkillTrust, verdict: GuardVerdict): GuardDecision {
  return policy[trust][verdict]
}

/** Repositories whose skills are reviewed by those who make the models. */
const trustedRepositories: ReadonlySet<string> = new Set(['openai/skills', 'anthropics/skills'])

/** The trust that a GitHub repository (`owner/name`) has, whatever lists or the skill itself say. */
export function repositoryTrust(repository: string): SkillTrust {
  return trustedRepositories.has(repository.toLowerCase()) ? 'trusted' : 'community'
}
