import type { AddressFinder } from './find-address.ts'
import type { CallKeys, Keys } from './keys.ts'

/** Keys of a provider that takes each at another address: calls go to the one that takes the key. */
export function locatedKeys(keys: Keys, finder: AddressFinder): Keys {
  return { forCall: () => locatedCall(keys.forCall(), finder) }
}

function locatedCall(call: CallKeys, finder: AddressFinder): CallKeys {
  let secret: string | undefined
  return {
    ...call,
    next: async (signal) => {
      const key = await call.next(signal)
      if ('afterMs' in key) return key
      secret = key.secret
      const baseUrl = secret === undefined ? undefined : await finder.find(secret, signal)
      return baseUrl === undefined ? key : { ...key, baseUrl }
    },
    failed: async (failure, signal) => {
      const isOfTheAddress = failure.code === 'auth' || failure.code === 'payment'
      if (isOfTheAddress && secret !== undefined) finder.forget(secret)
      return call.failed(failure, signal)
    },
  }
}
