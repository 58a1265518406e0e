import { z } from 'zod'
import { PlatformError } from '../../platform-error.ts'
import { forgetSession } from '../sign-in.ts'
import type { MatrixParts } from '../take-event.ts'
import { openDevice, forgetDevice } from './device.ts'
import type { Device } from './device.ts'
import { createEncryption } from './encryption.ts'
import type { Encryption } from './encryption.ts'
import { signDevice } from './trust.ts'

export interface OpenedEncryption {
  readonly encryption: Encryption
  close(): Promise<void>
}

type Parts = Pick<MatrixParts, 'client' | 'session' | 'settings' | 'host' | 'state'>

/**
 * Opens the keys of our device, or makes them, and tells the server. Throws `PlatformError` `refused` where the server knows
 * the device by other keys.
 */
export async function openEncryption(parts: Parts, signal: AbortSignal): Promise<OpenedEncryption> {
  const { client, session, settings, host, state } = parts
  let device = await openDevice(state, session, host.log)
  try {
    const found = await compareKeys(device, parts, signal)
    if (found === 'others') {
      if (settings.credentials.type === 'password' && settings.deviceId === undefined) {
        await forgetSession(host.home)
        throw new PlatformError(
          'unreachable',
          `The keys of the device ${session.deviceId} are not here: another device is made.`,
        )
      }
      throw new PlatformError(
        'refused',
        `Matrix knows the device ${session.deviceId} by keys that are not here. Make a new access token (a new device), or remove MATRIX_DEVICE_ID from .env.`,
      )
    }
    if (found === 'forgotten') {
      host.log.warn({ device: session.deviceId }, 'the server has forgotten the keys of the device: it gets new ones')
      await device.close()
      await forgetDevice(state)
      device = await openDevice(state, session, host.log)
    }
    const encryption = createEncryption(device, client, host.log)
    const password = settings.credentials.type === 'password' ? settings.credentials.password : undefined
    const trust = { device, name: session, requests: encryption.requests, client, log: host.log, password }
    await signDevice({ ...trust, recoveryKey: settings.recoveryKey }, signal)
    const opened = device
    return { encryption, close: () => opened.close() }
  } catch (error) {
    await device.close()
    throw error
  }
}

const keysAnswer = z.looseObject({
  device_keys: z
    .record(z.string(), z.record(z.string(), z.looseObject({ keys: z.record(z.string(), z.string()) })))
    .optional(),
})

/** Whether the server knows our device by the keys that are here. */
async function compareKeys(
  { library, machine, work }: Device,
  { client, session }: Parts,
  signal: AbortSignal,
): Promise<'same' | 'new' | 'others' | 'forgotten'> {
  const { userId, deviceId } = session
  const body = { device_keys: { [userId]: [deviceId] } }
  const answer = await client.call(keysAnswer, { method: 'POST', path: '/client/v3/keys/query', body }, signal)
  const known = answer.device_keys?.[userId]?.[deviceId]?.keys[`ed25519:${deviceId}`]
  if (known !== undefined) return known === machine.identityKeys.ed25519.toBase64() ? 'same' : 'others'
  const waiting = await work((one) => one.outgoingRequests())
  const isUntold = waiting.some(
    ({ type, body: text }) => type === library.RequestType.KeysUpload && /"device_keys":\s*\{/.test(text),
  )
  return isUntold ? 'new' : 'forgotten'
}
