import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { connectDevice } from './test-device.ts'
import type { TestDevice } from './test-device.ts'

const mega = 1024 * 1024
const fileBytes = 40 * mega

/** Sends a file in parts of 3 MiB. */
async function upload(device: TestDevice, id: string): Promise<void> {
  const data = randomBytes(3 * mega).toString('base64')
  const parts = Math.ceil(fileBytes / (3 * mega))
  for (let part = 0; part < parts; part++) {
    device.send({ t: 'media', id, kind: 'document', mime: 'a/b', data, part, parts })
    device.send({ t: 'ping', ts: part })
    await device.next('pong')
  }
  assert.equal(await device.reply(), 'Got it.')
}

async function download(device: TestDevice, id: string): Promise<void> {
  device.send({ t: 'text', id, text: 'send it' })
  assert.equal(await device.reply(), 'Here.')
  for (let isOver = false; !isOver;) isOver = (await device.next('media')).final
}

/** Whether one of them took no more than it has to, but for the first. */
const isSmall = ([, ...warm]: readonly number[]) => Math.min(...warm) < 16

test('a file of 40 MB each way takes less than 16 MB of memory', { timeout: 150_000 }, async () => {
  const child = fork(new URL('transfer.fixture.ts', import.meta.url), { execArgv: ['--conditions=development'] })
  try {
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]
    await using device = await connectDevice({ url })
    const memory = async () => {
      child.send('?')
      const [told] = (await once(child, 'message')) as [{ peak: number; now: number }]
      return told
    }
    const grown: Record<'up' | 'down', number[]> = { up: [], down: [] }
    // The first ones warm the process up; then what the collector leaves lying about differs from one to the next.
    for (let round = 0; round < 3 || (round < 8 && !Object.values(grown).every(isSmall)); round++) {
      for (const [way, move] of [
        ['up', upload],
        ['down', download],
      ] as const) {
        const before = await memory()
        await move(device, `${way}${round}`)
        grown[way].push(((await memory()).peak - before.now) / mega)
      }
    }
    for (const [way, growths] of Object.entries(grown)) {
      assert.ok(isSmall(growths), `${way}: ${growths.map((one) => one.toFixed(1)).join(', ')} MB`)
    }
  } finally {
    child.disconnect()
  }
})
