import { systemClock } from '@hermes/core/agent/clock.ts'
import type { Home } from '@hermes/core/config/home.ts'
import type { DeliveryRecord } from '@hermes/gateway/deliveries/delivery-log.ts'
import type { Cli, Command } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { text, wholeNumber } from '../../option-values.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { usableProfile } from './usable-profile.ts'

const usualCount = 20

export const deliveries: Command = {
  name: 'deliveries',
  summary: 'What became of the messages that went out, or were to',
  options: {
    platform: { type: 'string', value: 'NAME', description: 'Only of one platform' },
    failed: { type: 'boolean', description: 'Only what was given up' },
    lines: { type: 'string', short: 'n', value: 'N', description: `The latest N; ${usualCount} unless given` },
    text: { type: 'boolean', description: 'Show what is said, too, of what has not gone out' },
    retry: { type: 'string', value: 'ID', description: 'Try once more to send what was given up' },
    json: { type: 'boolean', description: 'For programs' },
  },
  examples: ['hermes gateway deliveries --failed', 'hermes gateway deliveries --retry 42'],
  async run({ options }, cli) {
    const { home, config } = await usableProfile(cli)
    const now = systemClock(config.timezone).now()
    const id = wholeNumber(options['retry'], '--retry', 1)
    if (id !== undefined) return retry({ home, id, now }, cli)
    const { readDeliveries } = await import('@hermes/gateway/deliveries/delivery-log.ts')
    const platform = text(options['platform'])
    const found = await readDeliveries(home, {
      ...(platform !== undefined && { platform }),
      isFailed: options['failed'] === true,
      withTexts: options['text'] === true,
      count: wholeNumber(options['lines'], '-n', 1) ?? usualCount,
    })
    if (options['json'] === true) await writeJson(cli, found)
    else if (found.length === 0) await writeOut(cli, 'Nothing of that kind in the last week.\n')
    else await writeOut(cli, `${found.map(lineOf).join('\n')}\n`)
    return 0
  },
}

interface Retry {
  readonly home: Home
  readonly id: number
  readonly now: number
}

async function retry({ home, id, now }: Retry, cli: Cli): Promise<number> {
  const { retryDelivery } = await import('@hermes/gateway/deliveries/delivery-log.ts')
  const done = await retryDelivery(home, id, now)
  if (done === 'unknown') {
    throw new CommandError(`Nothing of number ${id} was given up; "hermes gateway deliveries --failed" shows what was.`)
  }
  if (done === 'gone') throw new CommandError(`What number ${id} said is not kept any more.`)
  await writeOut(cli, `✓ ${id} is queued again. It goes out when the gateway runs and its platform is connected.\n`)
  return 0
}

const words: Readonly<Record<DeliveryRecord['state'], string>> = {
  waiting: 'waits',
  sending: 'under way',
  sent: 'sent',
  dead: 'given up',
}

function lineOf(record: DeliveryRecord): string {
  const { id, platform, chatId, threadId, state, kind, attempts, queuedAt, error, text: said } = record
  const at = new Date(queuedAt).toLocaleString('sv-SE')
  const place = cleanLine([platform, chatId, ...(threadId === undefined ? [] : [threadId])].join(':'))
  const tries = attempts > 1 ? `, ${attempts} tries` : ''
  const why = error !== undefined && state !== 'sent' ? `  ${cleanLine(error)}` : ''
  const what = kind === 'file' ? '  (a file)' : ''
  const shown = said === undefined ? '' : `  “${cleanLine(said)}”`
  const became = `${words[state]}${tries}`.padEnd(20)
  return `${String(id).padStart(6)}  ${at}  ${became} ${place}${what}${why}${shown}`
}
