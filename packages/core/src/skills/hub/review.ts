import { parseFrontmatter } from '../frontmatter.ts'
import type { GuardReport } from '../guard/finding.ts'
import { guardDecision } from '../guard/policy.ts'
import type { GuardDecision } from '../guard/policy.ts'
import { scanFiles } from '../guard/scan-files.ts'
import { skillMetadata } from '../metadata.ts'
import type { SkillMetadata } from '../metadata.ts'
import { maxSkillChars } from '../skill-limits.ts'
import type { SkillBundle } from './bundle.ts'

/** What is to be known of a fetched skill before it is installed. */
export interface BundleReview {
  readonly metadata: SkillMetadata
  /** Its SKILL.md. */
  readonly text: string
  readonly report: GuardReport
  /** What the policy says for its trust. */
  readonly decision: GuardDecision
  readonly warnings: readonly string[]
}

/** Looks through a fetched skill. Runs nothing of it. */
export async function reviewBundle(bundle: SkillBundle): Promise<BundleReview> {
  const text = new TextDecoder().decode(bundle.files.get('SKILL.md'))
  const { fields, form } = await parseFrontmatter(text)
  const metadata = skillMetadata(fields, bundle.name)
  const report = scanFiles([...bundle.files].map(([path, bytes]) => ({ path, bytes, size: bytes.length })))
  const warnings: string[] = []
  if (form !== 'yaml') warnings.push('Its frontmatter is no valid YAML; only simple lines of it are read.')
  if (metadata.description === '') warnings.push('It has no description, so the agent cannot tell when to use it.')
  if (text.length > maxSkillChars)
    warnings.push(`Its SKILL.md has ${text.length} characters; loading it fills the context.`)
  const asks = metadata.variables.filter(({ optional }) => !optional).map(({ name }) => name)
  if (asks.length > 0) warnings.push(`It asks for: ${asks.join(', ')}.`)
  return { metadata, text, report, decision: guardDecision(bundle.trust, report.verdict), warnings }
}
