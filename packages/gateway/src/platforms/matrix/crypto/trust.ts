import type { Logger } from '@hermes/core/log/logger.ts'
import { z } from 'zod'
import { PlatformError } from '../../platform-error.ts'
import { apiPath } from '../client.ts'
import type { MatrixClient } from '../client.ts'
import { MatrixError } from '../errors.ts'
import type { Device, DeviceName } from './device.ts'
import type { KeyRequests } from './key-requests.ts'
import { openSecret } from './recovery-key.ts'

export interface TrustOptions {
  readonly device: Device
  readonly name: DeviceName
  readonly requests: KeyRequests
  readonly client: MatrixClient
  readonly log: Logger
  readonly recoveryKey: Uint8Array | undefined
  /** With which the server may want the account's first signing keys confirmed. */
  readonly password: string | undefined
}

/**
 * Has our device signed by its account, so that other people's apps trust it and give it their keys: with the signing keys
 * that are here, or that the recovery key opens; an account that has none gets its first ones.
 */
export async function signDevice(options: TrustOptions, signal: AbortSignal): Promise<void> {
  const { device, name, requests, log, recoveryKey } = options
  const { library, work } = device
  const user = new library.UserId(name.userId)
  await requests.sendAll(signal)
  const identity = await work((machine) => machine.getIdentity(user))
  if (!identity) return firstKeys(options, signal)
  const own = await work((machine) => machine.getDevice(user, new library.DeviceId(name.deviceId)))
  if (!own || own.isCrossSignedByOwner()) return
  const status = await work((machine) => machine.crossSigningStatus())
  if (!status.hasSelfSigning) {
    if (!recoveryKey) {
      log.info({}, 'the device is not verified: MATRIX_RECOVERY_KEY is not set')
      return
    }
    await importSigningKeys(options, recoveryKey, signal)
  }
  await requests.send(await work(() => own.verify()), signal)
  log.info({}, 'the device is verified')
}

/** Gives an account its first signing keys. Where the server wants more than we know, the device stays unverified. */
async function firstKeys(
  { device, name, requests, client, log, password }: TrustOptions,
  signal: AbortSignal,
): Promise<void> {
  const made = await device.work((machine) => machine.bootstrapCrossSigning(false))
  const keys = z.record(z.string(), z.unknown()).parse(JSON.parse(made.uploadSigningKeysRequest.body))
  const upload = (auth?: unknown) =>
    client.call(
      z.looseObject({}),
      {
        method: 'POST',
        path: '/client/v3/keys/device_signing/upload',
        body: { ...keys, ...(auth !== undefined && { auth }) },
      },
      signal,
    )
  try {
    await upload().catch((error: unknown) => {
      if (!(error instanceof MatrixError) || error.status !== 401 || password === undefined) throw error
      return upload({ type: 'm.login.password', identifier: { type: 'm.id.user', user: name.userId }, password })
    })
  } catch (error) {
    if (!(error instanceof MatrixError) || error.code === 'rate-limited') throw error
    log.warn({ error: error.message }, 'the device is not verified: the server wants the signing keys confirmed')
    return
  }
  await requests.send(made.uploadSignaturesRequest, signal)
  await requests.sendAll(signal)
  log.info({}, 'the device is verified by new signing keys')
}

const names = ['m.cross_signing.master', 'm.cross_signing.self_signing', 'm.cross_signing.user_signing'] as const

const encryptedSecret = z.object({ iv: z.string(), ciphertext: z.string(), mac: z.string() })

async function importSigningKeys(
  { device, name, client }: TrustOptions,
  recoveryKey: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const data = <T>(schema: z.ZodType<T>, type: string) =>
    client.call(schema, { method: 'GET', path: apiPath`/client/v3/user/${name.userId}/account_data/${type}` }, signal)
  const { key } = await data(z.looseObject({ key: z.string() }), 'm.secret_storage.default_key')
  const secrets: string[] = []
  for (const secret of names) {
    const { encrypted } = await data(z.looseObject({ encrypted: z.record(z.string(), z.unknown()) }), secret)
    const opened = openSecret(recoveryKey, secret, encryptedSecret.parse(encrypted[key]))
    if (opened === undefined) {
      throw new PlatformError(
        'refused',
        'MATRIX_RECOVERY_KEY is not the recovery key of this account. Put the right one into .env.',
      )
    }
    secrets.push(opened)
  }
  const status = await device.work((machine) => machine.importCrossSigningKeys(...secrets))
  if (!status.hasSelfSigning) {
    throw new PlatformError('refused', 'The signing keys that MATRIX_RECOVERY_KEY opens are not those of this account.')
  }
}
