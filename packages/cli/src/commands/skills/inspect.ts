import { fetchSkill } from '@hermes/core/skills/hub/fetch-skill.ts'
import { reviewBundle } from '@hermes/core/skills/hub/review.ts'
import type { Command } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { reviewText } from './review-text.ts'
import { onlyPositional, withHub } from './with-skills.ts'

/** Lines of SKILL.md that are shown. */
const shownLines = 60

export const inspect: Command = {
  name: 'inspect',
  summary: 'Fetch a skill, look through it and show it; nothing is installed',
  positionals: '<identifier>',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run(input, cli) {
    const identifier = onlyPositional(input, 'inspect <identifier>')
    return withHub(cli, async (hub) => {
      const bundle = await fetchSkill(hub, identifier, cli.signal)
      const review = await reviewBundle(bundle)
      if (input.options['json'] === true) {
        const { files, ...facts } = bundle
        const { report, decision, metadata, text } = review
        await writeJson(cli, {
          ...facts,
          description: metadata.description,
          files: [...files.keys()],
          verdict: report.verdict,
          decision,
          findings: report.findings,
          content: text,
        })
        return 0
      }
      const lines = cleanText(review.text).trimEnd().split('\n')
      const more = lines.length > shownLines ? [`… ${lines.length - shownLines} more lines`] : []
      await writeOut(cli, `${reviewText(bundle, review)}\n\n${[...lines.slice(0, shownLines), ...more].join('\n')}\n`)
      return 0
    })
  },
}
