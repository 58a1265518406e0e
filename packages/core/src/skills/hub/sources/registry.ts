import type { SkillSource, SourceContext } from '../source.ts'

/** Every source, in the order in which they are asked; each file is loaded when it is. */
export const sources: Readonly<Record<string, (context: SourceContext) => Promise<SkillSource>>> = {
  official: async (context) => (await import('./official.ts')).official(context),
  'hermes-index': async (context) => (await import('./index-source.ts')).indexSource(context),
  'skills-sh': async (context) => (await import('./skills-sh.ts')).skillsSh(context),
  'well-known': async (context) => (await import('./well-known.ts')).wellKnown(context),
  clawhub: async (context) => (await import('./clawhub.ts')).clawHub(context),
  'claude-marketplace': async (context) => (await import('./claude-marketplace.ts')).claudeMarketplace(context),
  lobehub: async (context) => (await import('./lobehub.ts')).lobeHub(context),
  local: async (context) => (await import('./local.ts')).local(context),
  github: async (context) => (await import('./github.ts')).gitHubSource(context),
}
