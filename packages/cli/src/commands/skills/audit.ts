import { describeFindings } from '@hermes/core/skills/guard/finding.ts'
import { auditSkills } from '@hermes/core/skills/hub/audit.ts'
import type { Command } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { optionalPositional, withHub } from './with-skills.ts'

export const audit: Command = {
  name: 'audit',
  summary: 'Look through installed skills again',
  positionals: '[name]',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run(input, cli) {
    const name = optionalPositional(input, 'audit [name]')
    return withHub(cli, async (hub) => {
      const results = await auditSkills(hub, name)
      if (input.options['json'] === true) await writeJson(cli, results)
      else if (results.length === 0) cli.stderr.write('No skill is installed from a source.\n')
      for (const { name: skill, trust, verdict, decision, findings, isModified } of input.options['json'] === true
        ? []
        : results) {
        const marks = `${decision === 'allow' ? '' : ', would not be installed today'}${isModified ? ', changed here' : ''}`
        const lines = cleanText(describeFindings(findings)).split('\n').filter(Boolean)
        await writeOut(cli, `${skill} (${trust}): ${verdict}${marks}\n${lines.map((line) => `  ${line}\n`).join('')}`)
      }
      return results.some(({ decision }) => decision !== 'allow') ? 1 : 0
    })
  },
}
