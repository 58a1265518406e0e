import type { AuditRecord } from '@hermes/core/security/read-audit-log.ts'
import { wholeNumber } from '../../option-values.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { jsonOption } from './verdict.ts'
import { withProfile } from './with-profile.ts'

const shownUnlessSaid = 20

/** Longest subject in a line, characters; `--json` has all. */
const shownChars = 200

export const log: Command = {
  name: 'log',
  summary: 'Show who decided what about dangerous commands, the latest last',
  options: {
    number: { type: 'string', short: 'n', value: 'N', description: `How many; ${shownUnlessSaid} unless given` },
    denied: { type: 'boolean', description: 'Only what was refused' },
    ...jsonOption,
  },
  async run({ positionals, options }, cli) {
    if (positionals.length > 0) throw new UsageError('hermes security log: it takes no arguments')
    const limit = wholeNumber(options['number'], '-n', 1) ?? shownUnlessSaid
    return withProfile(cli, async ({ home }) => {
      const { readAuditLog } = await import('@hermes/core/security/read-audit-log.ts')
      const isWanted = ({ decision }: AuditRecord) => options['denied'] !== true || decision === 'denied'
      const entries = await readAuditLog(home, { limit, isWanted })
      if (options['json'] === true) await writeJson(cli, entries)
      else if (entries.length === 0) cli.stderr.write('There is no such decision yet.\n')
      else await writeOut(cli, entries.map(line).join(''))
      return 0
    })
  },
}

function line({ time, decision, by, scope, platform, dangers, subject }: AuditRecord): string {
  const who = scope === undefined ? by : `${by}, ${scope}`
  const what = cleanText(subject).replaceAll(/\s+/g, ' ')
  const shown = what.length > shownChars ? `${what.slice(0, shownChars)} …`.toWellFormed() : what
  return cleanText(`${time}  ${decision.padEnd(7)}  ${platform} (${who})  ${dangers.join(', ')}: ${shown}`) + '\n'
}
