import { PHEBY_DEFAULT_PORT } from '@hermes/protocol/pheby/constants.ts'
import { phoneSteps } from './phone-steps.ts'
import { phoneVariables } from './phone-variables.ts'
import type { PlatformFacts } from './platform-facts.ts'

export const pheby: PlatformFacts = {
  name: 'pheby',
  label: 'An app of one person (Pheby)',
  steps: [
    'Many conversations, drafts, tools, models; who has the secret is let in.',
    ...phoneSteps(PHEBY_DEFAULT_PORT),
  ],
  variables: phoneVariables({ prefix: 'PHEBY', secret: 'PHEBY_SECRET', port: PHEBY_DEFAULT_PORT }),
  phone: {
    addressVariable: 'PHEBY_PUBLIC_URL',
    async read(config, environment) {
      const { readSettings } = await import('../../platforms/pheby/settings.ts')
      const setup = readSettings(config, environment)
      if (setup.state !== 'ready') return setup.state === 'incomplete' ? setup.reason : 'It is not set up.'
      const { secret, host, port } = setup.settings
      return { secret, host, port }
    },
  },
}
