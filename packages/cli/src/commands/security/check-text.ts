import type { TextKind } from '@hermes/core/security/injection/pattern.ts'
import { text } from '../../option-values.ts'
import type { Command } from '../../command.ts'
import { givenValue } from './value.ts'
import { jsonOption, tell } from './verdict.ts'
import { withProfile } from './with-profile.ts'

const kinds = ['context', 'skill', 'memory', 'page', 'code'] as const satisfies readonly TextKind[]

export const checkTexts: Command = {
  name: 'text',
  summary: 'Whether a text tries to steer the agent, and which secrets would be hidden in it',
  positionals: '<text | ->',
  options: {
    kind: {
      type: 'string',
      value: 'KIND',
      choices: kinds,
      description: 'Where it is from: context (notes, prose; the default), skill, memory, page (the web), code',
    },
    ...jsonOption,
  },
  async run(input, cli) {
    const given = await givenValue(input, cli, { usage: 'check text TEXT', trim: false })
    const kind = kinds.find((one) => one === text(input.options['kind'])) ?? 'context'
    return withProfile(cli, async (profile) => {
      const { checkText } = await import('@hermes/core/security/check/check-text.ts')
      const { profileRedactor } = await import('@hermes/core/security/profile-redactor.ts')
      const enabled = profile.config.security.redact_secrets
      const verdict = checkText(given, kind, profileRedactor(profile, { enabled }))
      const secrets = verdict.secrets === 1 ? '1 secret' : `${verdict.secrets} secrets`
      const hidden = enabled ? `${secrets} hidden in it` : 'security.redact_secrets is off: secrets are not hidden'
      return tell(verdict, input, cli, verdict.secrets > 0 ? [hidden, verdict.redacted] : [hidden])
    })
  },
}
