import { MOBILE_DEFAULT_PORT } from '@hermes/protocol/mobile/constants.ts'
import { phoneSteps } from './phone-steps.ts'
import { phoneVariables } from './phone-variables.ts'
import type { PlatformFacts } from './platform-facts.ts'

export const mobile: PlatformFacts = {
  name: 'mobile',
  label: 'Phones (mobile protocol)',
  accessPrefix: 'MOBILE',
  accessNames: 'DEVICES',
  steps: ['One conversation a device, with voice, photos and files both ways.', ...phoneSteps(MOBILE_DEFAULT_PORT)],
  variables: phoneVariables({ prefix: 'MOBILE', secret: 'MOBILE_TOKEN', port: MOBILE_DEFAULT_PORT }),
  phone: {
    addressVariable: 'MOBILE_PUBLIC_URL',
    async read(config, environment) {
      const { readSettings } = await import('../../platforms/mobile/settings.ts')
      const setup = readSettings(config, environment)
      if (setup.state !== 'ready') return setup.state === 'incomplete' ? setup.reason : 'It is not set up.'
      const { token, host, port } = setup.settings
      return { secret: token, host, port }
    },
  },
}
