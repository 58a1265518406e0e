import type { FileAccess, PathVerdict } from '@hermes/core/security/check/check-path.ts'
import { text } from '../../option-values.ts'
import type { Command } from '../../command.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { givenValue } from './value.ts'
import { jsonOption, verdictText } from './verdict.ts'
import { withProfile } from './with-profile.ts'

const accesses: readonly FileAccess[] = ['read', 'write', 'remove']

export const checkPaths: Command = {
  name: 'path',
  summary: 'Whether the file tools would read, write or remove a path, and where it really leads',
  positionals: '<path | ->',
  options: {
    access: { type: 'string', value: 'KIND', choices: accesses, description: 'Only this one: read, write, remove' },
    ...jsonOption,
  },
  async run(input, cli) {
    const path = await givenValue(input, cli, { usage: 'check path PATH', trim: true })
    return withProfile(cli, async ({ home, environment }) => {
      const { checkPath } = await import('@hermes/core/security/check/check-path.ts')
      const only = text(input.options['access'])
      const verdicts: PathVerdict[] = []
      for (const access of accesses) {
        if (only === undefined || only === access) {
          verdicts.push(await checkPath(path, access, { home, environment, cwd: cli.cwd }))
        }
      }
      if (input.options['json'] === true) await writeJson(cli, verdicts)
      else for (const verdict of verdicts) await writeOut(cli, verdictText(verdict, leadsTo(verdict), verdict.access))
      return verdicts.every(({ decision }) => decision === 'allowed') ? 0 : 1
    })
  },
}

function leadsTo({ path }: PathVerdict): readonly string[] {
  return path === undefined ? [] : [path]
}
