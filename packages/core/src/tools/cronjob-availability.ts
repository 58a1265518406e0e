import type { Availability } from './availability.ts'

/** Faces whose turns nobody has asked for there and then. */
const unattended: Readonly<Record<string, string>> = {
  cron: 'a scheduled job makes and changes no jobs',
  batch: 'a batch run makes no jobs',
}

/** Jobs are made where a person can see it: never within a job. */
export const cronjobAvailability: Availability = (_context, session) => unattended[session?.platform ?? ''] ?? true
