import type { SkillConditions } from './metadata.ts'

/** What lists need of one file, kept so that it is read again only when it has changed. */
export type FileFacts = SkillFacts | CategoryFacts

/** Of a SKILL.md. */
export interface SkillFacts {
  readonly kind: 'skill'
  /** The name that it gives; `''` where it gives none. */
  readonly title: string
  readonly description: string
  readonly platforms: readonly string[]
  readonly conditions: SkillConditions
  readonly tags: readonly string[]
}

/** Of a DESCRIPTION.md. */
export interface CategoryFacts {
  readonly kind: 'category'
  readonly description: string
}
