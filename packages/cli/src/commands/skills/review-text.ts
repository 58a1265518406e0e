import type { SkillBundle } from '@hermes/core/skills/hub/bundle.ts'
import type { BundleReview } from '@hermes/core/skills/hub/review.ts'
import { describeFindings } from '@hermes/core/skills/guard/finding.ts'
import { cleanLine, cleanText } from '../../repl/clean-text.ts'

/** What a person should know of a skill before it is installed. */
export function reviewText({ name, identifier, source, trust, files }: SkillBundle, review: BundleReview): string {
  const { metadata, report, decision, warnings } = review
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  const rows: [string, string | undefined][] = [
    ['Name', name],
    ['Description', metadata.description],
    ['From', `${identifier} (${source})`],
    ['Trust', trust],
    ['Version', metadata.version],
    ['Author', metadata.author],
    ['License', metadata.license],
    ['Systems', metadata.platforms.join(', ') || undefined],
    ['Tags', metadata.tags.join(', ') || undefined],
    [
      'Files',
      `${files.size}, ${Math.ceil(bytes / 1024)} KiB: ${[...files.keys()].slice(0, 8).join(', ')}${files.size > 8 ? ' …' : ''}`,
    ],
    [
      'Guard',
      `${report.verdict}, ${{ allow: 'may be installed', block: 'is not installed without --force', ask: 'asks' }[decision]}`,
    ],
  ]
  const lines = rows.flatMap(([label, value]) => (value ? [`${`${label}:`.padEnd(13)}${cleanLine(value)}`] : []))
  const found =
    report.findings.length > 0
      ? cleanText(describeFindings(report.findings))
          .split('\n')
          .map((line) => `  ${line}`)
      : []
  return [...lines, ...found, ...warnings.map((line) => `! ${cleanLine(line)}`)].join('\n')
}
