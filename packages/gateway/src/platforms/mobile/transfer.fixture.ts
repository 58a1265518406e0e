// A gateway in a process of its own, which tells how much memory it took since it was last asked.
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { lastUser, openMobileGateway } from './test-mobile-gateway.ts'

const all = await openMobileGateway({
  script: (request) => ({ text: lastUser(request).startsWith('send') ? 'Here.\nMEDIA:./large.bin' : 'Got it.' }),
})
await writeFile(`${all.agent.work}/large.bin`, randomBytes(40 * 1024 * 1024))
let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 2)
process.on('message', () => {
  const now = process.memoryUsage.rss()
  process.send?.({ peak: Math.max(peak, now), now })
  peak = 0
})
process.on('disconnect', () => process.exit())
process.send?.({ url: all.url })
