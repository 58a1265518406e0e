import assert from 'node:assert/strict'
import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import * as fc from 'fast-check'
import { openAccountState } from '../account-state.ts'
import { decryptFile, encryptFile } from './attachments.ts'
import { openDevice } from './device.ts'
import { decodeRecoveryKey, openSecret } from './recovery-key.ts'

const name = { userId: '@bot:x.y', deviceId: 'DEVICE/1' }

test('the keys of a device outlive the process, as far as they were used', async () => {
  await using made = await temporaryHome()
  const home = openHome(made.environment)
  const open = async () => {
    const state = await openAccountState(home, name)
    return { state, device: await openDevice(state, name, silentLogger) }
  }
  const first = await open()
  const identity = first.device.machine.identityKeys.ed25519.toBase64()
  const [upload] = await first.device.work((machine) => machine.outgoingRequests())
  // As a process that is killed: nothing is closed.
  first.state.close()
  const second = await open()
  assert.equal(second.device.machine.identityKeys.ed25519.toBase64(), identity)
  const [again] = await second.device.work((machine) => machine.outgoingRequests())
  const keysOf = (body: string | undefined) =>
    Object.keys((JSON.parse(body ?? '{}') as { one_time_keys: object }).one_time_keys).toSorted()
  assert.ok(keysOf(upload?.body).length > 10)
  assert.deepEqual(keysOf(again?.body), keysOf(upload?.body))
  await first.device.close()
  await second.device.close()
  second.state.close()
})

test('a file comes back as it was, and not where a bit of it has changed', async () => {
  await using made = await temporaryHome()
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100_000 }), fc.nat(), async (bytes, at) => {
      const path = made.path('file')
      await writeFile(path, bytes)
      const { bytes: encrypted, describe } = encryptFile(path)
      const uploaded = Buffer.concat((await encrypted.toArray()) as Buffer[])
      const file = describe('mxc://x.y/z')
      assert.equal(uploaded.length, bytes.length)
      assert.deepEqual(decryptFile(uploaded, file), Buffer.from(bytes))
      if (bytes.length === 0) return
      const place = at % bytes.length
      uploaded[place] = (uploaded[place] ?? 0) ^ 1
      assert.equal(decryptFile(uploaded, file), undefined)
    }),
    { numRuns: 20 },
  )
})

test('a recovery key is told from what is none, and opens what was closed with it', () => {
  const secret = Uint8Array.from({ length: 32 }, (_, at) => at + 1)
  const text = encode(secret)
  assert.match(text, /^Es/)
  assert.deepEqual(decodeRecoveryKey(` ${text.replace(/(.{4})/g, '$1 ')}`), secret)
  assert.equal(decodeRecoveryKey(text.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))), undefined)
  assert.equal(decodeRecoveryKey('correct horse battery staple'), undefined)
  const keys = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(32), 'a.secret', 64))
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', keys.subarray(0, 32), iv)
  const ciphertext = Buffer.concat([cipher.update('hidden'), cipher.final()])
  const mac = createHmac('sha256', keys.subarray(32)).update(ciphertext).digest('base64')
  const closed = { iv: iv.toString('base64'), ciphertext: ciphertext.toString('base64'), mac }
  assert.equal(openSecret(secret, 'a.secret', closed), 'hidden')
  assert.equal(openSecret(secret, 'another', closed), undefined)
})

function encode(secret: Uint8Array): string {
  const bytes = [0x8b, 0x01, ...secret]
  const all = [...bytes, bytes.reduce((sum, byte) => sum ^ byte, 0)]
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  let value = BigInt(`0x${Buffer.from(all).toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = `${alphabet[Number(value % 58n)]}${text}`
  return text
}
