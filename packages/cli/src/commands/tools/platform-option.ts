import type { CommandInput, OptionSpec } from '../../command.ts'

export const platformOption: OptionSpec = {
  type: 'string',
  value: 'NAME',
  description: 'Face or platform, e.g. telegram; cli when absent',
}

/** The platform that is meant. */
export function platformOf({ options }: CommandInput): string {
  return typeof options['platform'] === 'string' ? options['platform'] : 'cli'
}
