import { manualClock, testCron } from './test-cron.ts'

// Takes what is due at half past ten. `run`: until nothing is left, a line for each time. `hang`: takes it and goes on for ever.
const [, , dir = '', mode] = process.argv
const cron = await testCron(dir, manualClock('2026-06-01T10:30:00Z'))
if (mode === 'hang') {
  await cron.claim()
  process.stdout.write('taken\n')
  setInterval(() => {}, 60_000)
} else {
  for (let idle = 0; idle < 3;) {
    const { ran } = await cron.go()
    idle = ran.length === 0 ? idle + 1 : 0
    for (const one of ran) process.stdout.write(`${one}\n`)
  }
  cron[Symbol.dispose]()
}
