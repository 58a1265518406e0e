import type { JobInput } from '@hermes/core/cron/job-store.ts'
import type { CommandInput, OptionSpec } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { list, text, wholeNumber } from '../../option-values.ts'

/** What can be said of a job, when it is made and later. */
export const jobOptions: Readonly<Record<string, OptionSpec>> = {
  name: { type: 'string', value: 'NAME', description: 'What it is called; default: how the prompt begins' },
  deliver: {
    type: 'string',
    value: 'TARGET',
    description: 'local (a file), origin, a platform, or platform:chat[:thread]',
  },
  repeat: { type: 'string', value: 'N', description: 'Number of runs; 0: for ever' },
  skill: {
    type: 'string',
    value: 'NAME',
    multiple: true,
    description: 'A skill to follow; may be given several times',
  },
  script: {
    type: 'string',
    value: 'FILE',
    description: "File below the home's scripts/, run first; its output comes before the prompt",
  },
  model: { type: 'string', value: 'MODEL', description: 'Model of its runs; default: the configured one' },
  provider: { type: 'string', value: 'NAME', description: 'Provider of that model' },
  missed: {
    type: 'string',
    value: 'POLICY',
    choices: ['skip', 'once', 'all', 'grace'],
    description: 'Runs missed while no scheduler ran: none, one for all, all, or one if it is little late (default)',
  },
  'missed-within': { type: 'string', value: 'MINUTES', description: 'Leave out what was missed longer ago' },
  json: { type: 'boolean', description: 'Print JSON' },
}

/** Reads them. Throws `UsageError`. */
export function jobFields({ options }: CommandInput): JobInput {
  const missed = text(options['missed'])
  const within = wholeNumber(options['missed-within'], '--missed-within', 1)
  if (within !== undefined && missed !== 'once' && missed !== 'all') {
    throw new UsageError('--missed-within goes with --missed once or --missed all')
  }
  return {
    name: text(options['name']),
    deliver: text(options['deliver']),
    repeat: wholeNumber(options['repeat'], '--repeat', 0),
    skills: list(options['skill']),
    script: text(options['script']),
    model: text(options['model']),
    provider: text(options['provider']),
    ...(missed === 'grace' && { missed: null }),
    ...((missed === 'skip' || missed === 'once' || missed === 'all') && {
      missed: { run: missed, ...(within !== undefined && { max_age_minutes: within }) },
    }),
  }
}
