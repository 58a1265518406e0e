import { createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

// https://spec.matrix.org/latest/client-server-api/#secrets

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The secret of a recovery key as people have it; undefined for what is none. */
export function decodeRecoveryKey(text: string): Uint8Array | undefined {
  const bytes = fromBase58(text.replaceAll(/\s/g, ''))
  // Two bytes that say what it is, 32 of the secret, one that makes them all come to nothing.
  if (bytes?.length !== 35 || bytes[0] !== 0x8b || bytes[1] !== 0x01) return undefined
  if (bytes.reduce((sum, byte) => sum ^ byte, 0) !== 0) return undefined
  return bytes.subarray(2, 34)
}

function fromBase58(text: string): Uint8Array | undefined {
  if (text.length > 64) return undefined
  let value = 0n
  for (const letter of text) {
    const digit = alphabet.indexOf(letter)
    if (digit < 0) return undefined
    value = value * 58n + BigInt(digit)
  }
  const hex = value.toString(16)
  return new Uint8Array(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'))
}

/** A secret as account data holds it. */
export interface EncryptedSecret {
  /** Base64, all three. */
  readonly iv: string
  readonly ciphertext: string
  readonly mac: string
}

/** Opens a secret of the account. Undefined where the key is not its. */
export function openSecret(
  key: Uint8Array,
  name: string,
  { iv, ciphertext, mac }: EncryptedSecret,
): string | undefined {
  const keys = Buffer.from(hkdfSync('sha256', key, new Uint8Array(32), name, 64))
  const encrypted = Buffer.from(ciphertext, 'base64')
  const expected = createHmac('sha256', keys.subarray(32)).update(encrypted).digest()
  const given = Buffer.from(mac, 'base64')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const decipher = createDecipheriv('aes-256-ctr', keys.subarray(0, 32), Buffer.from(iv, 'base64'))
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8')
}
