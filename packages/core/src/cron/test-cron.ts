import { systemClock } from '../agent/clock.ts'
import type { Clock } from '../agent/clock.ts'
import { openHome } from '../config/home.ts'
import { claimDue, recordEnd } from './claim-due.ts'
import { openJobs } from './job-store.ts'
import { openRunStore } from './run-store.ts'
import { openZone } from './zone.ts'

/** A clock that stands still until it is moved. */
export function manualClock(start: string | number, timeZone = 'UTC') {
  let now = typeof start === 'string' ? Date.parse(start) : start
  let zone = timeZone
  return {
    now: () => now,
    get timeZone() {
      return zone
    },
    set(to: string | number) {
      now = typeof to === 'string' ? Date.parse(to) : to
    },
    moveToZone(name: string) {
      zone = name
    },
  } satisfies Clock & Record<string, unknown>
}

/** The zone of a clock that shows nothing else. */
export function zoneNamed(name: string) {
  return openZone(systemClock(name))
}

/** A profile's jobs under a clock of the test's own, whose runs do nothing but end well. */
export async function testCron(dir: string, clock: Clock) {
  const home = openHome({ HERMES_HOME: dir })
  const jobs = openJobs({ home, clock })
  const runs = await openRunStore(home)
  const { place } = jobs
  return {
    home,
    jobs,
    runs,
    place,
    claim: (limit = 10) => claimDue({ place, runs }, limit),
    /** Takes what is due and ends it well; resolves to what ran, `name@time`, and when to look again. */
    async go() {
      const { claims, wakeAt } = await claimDue({ place, runs }, 10)
      const ran: string[] = []
      for (const { job, times } of claims) {
        for (const scheduledAt of times) {
          ran.push(`${job.name}@${place.zone.iso(scheduledAt)}`)
          const end = { state: 'ok', error: undefined, deliveryError: undefined } as const
          await runs.finish({ jobId: job.id, scheduledAt }, { ...end, outputPath: undefined }, clock.now())
          await recordEnd(job.id, end, place)
        }
      }
      return { ran, wakeAt }
    },
    [Symbol.dispose]: () => runs[Symbol.dispose](),
  }
}
