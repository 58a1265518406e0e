import { Cron } from 'croner'
import { CronError } from './cron-error.ts'
import type { Zone } from './zone.ts'

/** When a cron expression fires. */
export interface CronExpression {
  /** The first time after a moment; undefined when there is none any more. */
  next(after: number): number | undefined
}

/** Hour fields that mean all of them. */
const everyHour = /^(?:\*|\*\/1|0-23)$/

/** Wall times that are tried before an expression is taken for one that never fires; a doubled hour has 3,600. */
const maxTries = 10_000

/**
 * Reads a cron expression: minute, hour, day of the month, month, day of the week; names (`MON`, `JAN`) and `@daily` and
 * the like are taken. A sixth field is the second, as upstream has it. Where both day fields are given, either will do.
 *
 * Where hours are named, the wall's clock counts: a time that comes twice fires the first time, one that is skipped fires
 * when the gap ends, once. With every hour (`*`), time that passes counts: both of two equal hours, none that is skipped.
 * Throws `CronError` with code `bad-schedule`.
 */
export function parseCron(expression: string, zone: Zone): CronExpression {
  const fields = expression.trim().split(/\s+/)
  const isNamed = fields.length === 1 && fields[0]!.startsWith('@')
  if (!isNamed && fields.length !== 5 && fields.length !== 6) throw badExpression(expression, 'it has not five fields')
  const [second, ...rest] = fields.length === 6 ? [fields[5], ...fields.slice(0, 5)] : [undefined, ...fields]
  const pattern = [...(second === undefined ? [] : [second]), ...rest].join(' ').replaceAll('?', '*')
  const holdsHour = isNamed ? !/^@hourly$/i.test(fields[0]!) : !everyHour.test(fields[1]!)
  return holdsHour ? byWall(open(pattern, 'UTC', expression), zone) : byTime(open(pattern, zone.name, expression))
}

function open(pattern: string, timezone: string, expression: string): Cron {
  try {
    return new Cron(pattern, { timezone, paused: true, mode: '5-or-6-parts', sloppyRanges: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    throw badExpression(expression, reason)
  }
}

function badExpression(expression: string, reason: string): CronError {
  return new CronError(
    'bad-schedule',
    `"${expression}" is no cron expression (${reason}). Five fields are: minute hour day month weekday, e.g. "0 9 * * 1-5".`,
  )
}

function byTime(cron: Cron): CronExpression {
  return { next: (after) => cron.nextRun(new Date(after))?.getTime() }
}

/** `cron` runs over wall times. */
function byWall(cron: Cron, zone: Zone): CronExpression {
  return {
    next(after) {
      let wall: number | undefined = zone.wallAt(after)
      for (let tries = 0; tries < maxTries; tries++) {
        wall = cron.nextRun(new Date(wall))?.getTime()
        if (wall === undefined) return undefined
        const at = zone.instantOf(wall)
        // In the second of two equal hours its times are over already.
        if (at > after) return at
      }
      return undefined
    },
  }
}
