import type { AuditedFinding } from '@hermes/core/security/audit/run-audit.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { jsonOption } from './verdict.ts'
import { withProfile } from './with-profile.ts'

export const audit: Command = {
  name: 'audit',
  summary: 'Look for what is less safe here than it could be. Exit codes: 0 nothing, 1 something is left',
  options: {
    fix: { type: 'boolean', description: 'Repair what can be repaired without breaking anything: modes of files' },
    ...jsonOption,
  },
  async run({ positionals, options }, cli) {
    if (positionals.length > 0) throw new UsageError('hermes security audit: it takes no arguments')
    return withProfile(cli, async ({ home, config, environment, fromFile }) => {
      const { runAudit } = await import('@hermes/core/security/audit/run-audit.ts')
      const subject = { home, config, environment, fromFile, cwd: cli.cwd, signal: cli.signal }
      const findings = await runAudit(subject, { fix: options['fix'] === true })
      if (options['json'] === true) await writeJson(cli, { home: home.dir, findings })
      else await writeOut(cli, report(findings, home.dir))
      return findings.some(isLeft) ? 1 : 0
    })
  },
}

function isLeft({ severity, fixed }: AuditedFinding): boolean {
  return severity !== 'info' && fixed === undefined
}

function report(findings: readonly AuditedFinding[], dir: string): string {
  const left = findings.filter(isLeft)
  const fixable = left.filter(({ isFixable }) => isFixable).length
  const count = left.length === 1 ? '1 finding' : `${left.length} findings`
  const hint = fixable > 0 ? ` "hermes security audit --fix" repairs ${fixable} of them.` : ''
  const closing = left.length === 0 ? `Nothing to worry about in ${dir}.` : `${count} in ${dir}.${hint}`
  return `${[...findings.map(entry), closing].map(cleanText).join('\n')}\n`
}

function entry({ severity, where, problem, remedy, fixed, failed }: AuditedFinding): string {
  const outcome =
    fixed !== undefined
      ? `Done: ${fixed}.`
      : failed !== undefined
        ? `It could not be repaired: ${failed}`
        : `→ ${remedy}`
  return `${severity.toUpperCase().padEnd(6)} ${where}\n       ${problem}\n       ${outcome}\n`
}
