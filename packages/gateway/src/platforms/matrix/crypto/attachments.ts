import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { EncryptedFile } from '../events.ts'

// https://spec.matrix.org/latest/client-server-api/#sending-encrypted-attachments

/** A file on its way out, encrypted while it is read. */
export interface EncryptedUpload {
  /** As long as the file. */
  readonly bytes: Readable
  /** What those need who shall read it, for the address it gets. Only when all of it has been read. */
  readonly describe: (url: string) => EncryptedFile
}

export function encryptFile(path: string): EncryptedUpload {
  const key = randomBytes(32)
  // The counter's half begins at zero: apps count in 64 bits only.
  const iv = Buffer.concat([randomBytes(8), Buffer.alloc(8)])
  const hash = createHash('sha256')
  async function* encrypted() {
    const cipher = createCipheriv('aes-256-ctr', key, iv)
    for await (const chunk of createReadStream(path)) {
      const piece = cipher.update(chunk as Buffer)
      hash.update(piece)
      yield piece
    }
  }
  return {
    bytes: Readable.from(encrypted(), { objectMode: false }),
    describe: (url) => ({
      v: 'v2',
      url,
      key: { kty: 'oct', key_ops: ['encrypt', 'decrypt'], alg: 'A256CTR', k: key.toString('base64url'), ext: true },
      iv: unpadded(iv),
      hashes: { sha256: unpadded(hash.digest()) },
    }),
  }
}

/** Opens what came of an encrypted file. Undefined where it is not what its sender described. */
export function decryptFile(bytes: Buffer, { key, iv, hashes }: EncryptedFile): Buffer | undefined {
  const secret = Buffer.from(key.k, 'base64url')
  const start = Buffer.from(iv, 'base64')
  const expected = Buffer.from(hashes.sha256, 'base64')
  const found = createHash('sha256').update(bytes).digest()
  if (secret.length !== 32 || start.length !== 16 || expected.length !== 32) return undefined
  if (!timingSafeEqual(found, expected)) return undefined
  const decipher = createDecipheriv('aes-256-ctr', secret, start)
  return Buffer.concat([decipher.update(bytes), decipher.final()])
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
