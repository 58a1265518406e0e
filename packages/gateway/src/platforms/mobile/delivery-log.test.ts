import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'
import { openDeliveryLog } from './delivery-log.ts'
import type { DeliveryItem, DeliveryLog, ItemContent } from './delivery-log.ts'

const text = (id: string, more: object = {}): ItemContent => ({
  kind: 'message',
  frame: { t: 'message', id, text: id, index: 0, total: 1, final: true, ...more },
})

const card = (id: string): ItemContent => ({
  kind: 'prompt',
  frame: { t: 'prompt', id, kind: 'clarify', text: '?', options: [], session: 's', timeout_seconds: 60 },
})

async function open(clock = { now: 1_000_000 }) {
  const folder = await temporaryHome()
  const log = await openDeliveryLog(openHome(folder.environment), () => clock.now)
  return {
    log,
    home: openHome(folder.environment),
    async [Symbol.asyncDispose]() {
      log.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Kinds and ids of what waits for a device. */
async function waiting(log: DeliveryLog, device = 'd'): Promise<string[]> {
  const found: string[] = []
  for (let item: DeliveryItem | undefined, after = 0; (item = await log.next(device, after)); after = item.seq) {
    assert.equal(item.isLast, (await log.next(device, item.seq)) === undefined)
    found.push(`${item.kind} ${item.frame.id}`)
  }
  return found
}

test('the same key is kept once, whatever became of it', async () => {
  await using all = await open()
  assert.equal(await all.log.append('d', [text('a')], { key: 'k' }), 'a')
  await all.log.acknowledge('d', 'a', 0)
  assert.equal(await all.log.append('d', [text('b')], { key: 'k' }), 'a')
  assert.deepEqual(await waiting(all.log), [])
})

test('at most 500 items of a day wait for a device', async () => {
  const clock = { now: 1_000_000 }
  await using all = await open(clock)
  for (let at = 0; at < 510; at++) await all.log.append('d', [text(`m${at}`)])
  await all.log.append('e', [text('other')])
  const left = await waiting(all.log)
  assert.deepEqual([left.length, left[0], left.at(-1)], [500, 'message m10', 'message m509'])
  clock.now += 24 * 3_600_000
  assert.deepEqual(await waiting(all.log), [])
  await all.log.tidy()
  clock.now -= 24 * 3_600_000
  assert.equal((await waiting(all.log)).length, 500, 'at the very limit it is kept')
  clock.now += 24 * 3_600_000 + 1
  await all.log.tidy()
  clock.now -= 24 * 3_600_000
  assert.deepEqual(await waiting(all.log, 'e'), [])
})

test('files that wait for a device are bounded by their size', async () => {
  await using all = await open()
  const file = (id: string): ItemContent => {
    const size = 200 * 1024 * 1024
    return { kind: 'media', frame: { t: 'media', id, kind: 'video', mime: 'video/mp4', size, path: `/copies/${id}` } }
  }
  for (const id of ['a', 'b', 'c']) await all.log.append('d', [file(id)])
  assert.deepEqual(await waiting(all.log), ['media b', 'media c'])
  assert.deepEqual([...(await all.log.files())], ['/copies/b', '/copies/c'])
  assert.deepEqual(await all.log.acknowledge('d', 'b', 0), ['/copies/b'])
})

test('an edit ends when its message is acknowledged and it has arrived, in any order', async () => {
  await using all = await open()
  const edit = (id: string): ItemContent => ({ ...text(id, { edit: true }), kind: 'more' }) as ItemContent
  await all.log.append('d', [text('a', { final: false })])
  await all.log.acknowledge('d', 'a', 0)
  await all.log.append('d', [edit('a')])
  // An acknowledgement of the message that was under way says nothing of the edit.
  await all.log.acknowledge('d', 'a', 1)
  assert.deepEqual(await waiting(all.log), ['more a'])
  await all.log.confirm('d', 2)
  assert.deepEqual(await waiting(all.log), [])
  await all.log.append('d', [text('b', { final: false })])
  await all.log.append('d', [edit('b')])
  await all.log.confirm('d', 4)
  assert.deepEqual(await waiting(all.log), ['message b', 'more b'])
  await all.log.acknowledge('d', 'b', 4)
  assert.deepEqual(await waiting(all.log), [])
})

test('who has shown a message has what came before it of its reply, and not what comes after it', async () => {
  await using all = await open()
  const more = (id: string, index: number): ItemContent =>
    ({ ...text(id, { index, total: 3 }), kind: 'more' }) as ItemContent
  await all.log.append('d', [text('said', { final: false })])
  await all.log.append('d', [text('whole')])
  await all.log.append('d', [text('a', { final: false, total: 3 }), more('a', 1), more('a', 2)])
  await all.log.acknowledge('d', 'a', 4)
  assert.deepEqual(await waiting(all.log), ['message whole', 'more a'], 'the last piece may be lost on its way')
  await all.log.confirm('d', 5)
  assert.deepEqual(await waiting(all.log), ['message whole'])
})

test('the end of a card is told to those who have seen it, also when the process died', async () => {
  await using all = await open()
  await all.log.append('d', [card('seen')])
  await all.log.append('d', [card('unseen')])
  await all.log.shown(1)
  await all.log.acknowledge('d', 'seen', 0)
  await all.log.expirePrompts()
  assert.deepEqual(await waiting(all.log), ['prompt_done seen'])
  await all.log.expirePrompts()
  assert.deepEqual(await waiting(all.log), ['prompt_done seen'])
  await all.log.confirm('d', 3)
  assert.deepEqual(await waiting(all.log), [])
})

test('the message that an answer has begun in is found until it has its end', async () => {
  await using all = await open()
  await all.log.append('d', [text('a', { final: false })], { event: 'm1' })
  assert.deepEqual([await all.log.draft('d', 'm1'), await all.log.draft('e', 'm1')], ['a', undefined])
  await all.log.append('d', [{ ...text('a', { edit: true }), kind: 'more' } as ItemContent])
  assert.equal(await all.log.draft('d', 'm1'), undefined)
})

test('what was kept is there after kill -9', async () => {
  await using folder = await temporaryHome()
  const program = `
    import { openHome } from '@hermes/core/config/home.ts'
    import { openDeliveryLog } from ${JSON.stringify(fileURLToPath(new URL('delivery-log.ts', import.meta.url)))}
    const log = await openDeliveryLog(openHome(process.env), Date.now)
    for (let at = 0; ; at++) {
      const frame = { t: 'message', id: 'm' + at, text: 'x', index: 0, total: 1, final: true }
      await log.append('d', [{ kind: 'message', frame }], { key: 'k' + at })
      process.stdout.write(at + '\\n')
    }`
  const child = spawn(process.execPath, ['--conditions=development', '--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, ...folder.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = -1
  for await (const line of createInterface(child.stdout)) {
    last = Number(line)
    if (last === 40) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  const log = await openDeliveryLog(openHome(folder.environment), Date.now)
  const left = await waiting(log)
  log.close()
  assert.ok(last >= 40)
  assert.ok(left.length > last, `${last + 1} were told, ${left.length} are there`)
})
