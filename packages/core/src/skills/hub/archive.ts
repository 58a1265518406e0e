import { gunzipSync } from 'node:zlib'
import { inflateRawSync } from 'node:zlib'
import { fetchLimits } from './bundle.ts'
import { HubError } from './hub-error.ts'

/** The files of a `.tar.gz` or `.zip`, by path, in memory. Links, devices and more than a skill may hold are refused. */
export function unpack(bytes: Uint8Array): Map<string, Uint8Array> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (data[0] === 0x1f && data[1] === 0x8b)
    return untar(inflated(() => gunzipSync(data, { maxOutputLength: maxTotal })))
  if (data.length >= 4 && data.readUInt32LE(0) === 0x04034b50) return unzip(data)
  throw new HubError('invalid', 'The archive is neither .tar.gz nor .zip.')
}

const maxTotal = fetchLimits.bytes + 1024 * 1024
const block = 512

/** The ustar format with GNU's and pax's long names: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html */
function untar(data: Buffer): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  let longName: string | undefined
  for (let at = 0; at + block <= data.length && data[at] !== 0;) {
    const header = data.subarray(at, at + block)
    const size = Number.parseInt(text(header, 124, 12).trim() || '0', 8)
    const type = String.fromCharCode(header[156] ?? 0)
    if (!Number.isSafeInteger(size) || size < 0 || at + block + size > data.length) throw broken()
    const body = data.subarray(at + block, at + block + size)
    at += block + Math.ceil(size / block) * block
    if (type === 'L') longName = text(body, 0, body.length)
    else if (type === 'x') longName = paxPath(body) ?? longName
    else if (type === '0' || type === '\0') {
      const prefix = text(header, 345, 155)
      add(files, longName ?? (prefix === '' ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`), body)
      longName = undefined
    } else if (type === '5' || type === 'g') longName = undefined
    else throw new HubError('invalid', 'The archive holds a link or a device; skills have files only.')
  }
  return files
}

function paxPath(body: Buffer): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(body.toString('utf8'))?.[1]
}

/** By the central directory: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
function unzip(data: Buffer): Map<string, Uint8Array> {
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0 || end + 22 > data.length) throw broken()
  const count = data.readUInt16LE(end + 10)
  let at = data.readUInt32LE(end + 16)
  const files = new Map<string, Uint8Array>()
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > data.length || data.readUInt32LE(at) !== 0x02014b50) throw broken()
    const nameLength = data.readUInt16LE(at + 28)
    const name = data.toString('utf8', at + 46, at + 46 + nameLength)
    const isLink = data.readUInt16LE(at + 4) >> 8 === 3 && data.readUInt32LE(at + 38) >>> 28 === 0o12
    if (isLink) throw new HubError('invalid', 'The archive holds a link; skills have files only.')
    if (!name.endsWith('/')) add(files, name, member(data, at))
    at += 46 + nameLength + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32)
  }
  return files
}

function member(data: Buffer, at: number): Uint8Array {
  const method = data.readUInt16LE(at + 10)
  const packed = data.readUInt32LE(at + 20)
  const size = data.readUInt32LE(at + 24)
  const local = data.readUInt32LE(at + 42)
  if (data.readUInt16LE(at + 8) & 1) throw new HubError('invalid', 'The archive is encrypted.')
  if (local + 30 > data.length || size > maxTotal) throw broken()
  const start = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28)
  const raw = data.subarray(start, start + packed)
  if (raw.length !== packed) throw broken()
  if (method === 0) return raw
  if (method !== 8) throw new HubError('invalid', 'The archive is packed in a way that is not known.')
  const bytes = inflated(() => inflateRawSync(raw, { maxOutputLength: maxTotal }))
  if (bytes.length !== size) throw broken()
  return bytes
}

function add(files: Map<string, Uint8Array>, name: string, bytes: Uint8Array): void {
  const path = name.replace(/^\.\//, '')
  const total = [...files.values()].reduce((sum, { length }) => sum + length, bytes.length)
  if (files.size >= fetchLimits.files || total > fetchLimits.bytes) {
    throw new HubError('too-large', 'The archive holds more than a skill may.')
  }
  if (files.has(path)) throw new HubError('invalid', `The archive holds ${path} twice.`)
  files.set(path, Uint8Array.from(bytes))
}

/** Puts the files of an archive that has all in one folder into none. */
export function withoutTopFolder(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  if (files.has('SKILL.md')) return files
  const [first] = [...files.keys()][0]?.split('/') ?? []
  if (first === undefined || ![...files.keys()].every((path) => path.startsWith(`${first}/`))) return files
  return new Map([...files].map(([path, bytes]) => [path.slice(first.length + 1), bytes]))
}

/** A bomb or a damaged archive ends in an error of zlib. */
function inflated(run: () => Buffer): Buffer {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && 'code' in error)) {
      throw new HubError('invalid', 'The archive is damaged, or holds more than a skill may.', { cause: error })
    }
    throw error
  }
}

function text(data: Buffer, at: number, length: number): string {
  const part = data.subarray(at, at + length)
  const end = part.indexOf(0)
  return part.toString('utf8', 0, end < 0 ? part.length : end)
}

function broken(): HubError {
  return new HubError('invalid', 'The archive is damaged.')
}
