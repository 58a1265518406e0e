import { open } from 'node:fs/promises'
import { ModelError } from '../model-error.ts'

// The head of a GGUF file, read without the runtime: little-endian, a count of tensors, a count of fields, the fields.
// See https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

/** What a model file says of itself. Fields that it leaves out are undefined. */
export interface GgufHeader {
  readonly architecture: string
  /** What its makers call it. */
  readonly name: string | undefined
  /** The window that it was trained for, tokens. */
  readonly contextLength: number | undefined
  /** Memory that the attention of one token takes, bytes. */
  readonly bytesPerToken: number | undefined
  readonly fileBytes: number
}

/** The fields that say what we want come before the vocabulary, which is megabytes long. */
const headBytes = 256 * 1024

/** Bytes of a number that attention keeps: 16 bits. */
const numberBytes = 2

/** Reads a model file's head. Throws `model-not-found` where there is none, `invalid-request` where it is no GGUF file. */
export async function readGgufHeader(path: string): Promise<GgufHeader> {
  const { head, fileBytes } = await readHead(path)
  const values = readFields(head, path)
  const architecture = textOf(values.get('general.architecture')) ?? ''
  const count = (name: string): number | undefined => {
    const value = values.get(`${architecture}.${name}`)
    return typeof value === 'number' && value > 0 ? value : undefined
  }
  return {
    architecture,
    name: textOf(values.get('general.name')),
    contextLength: count('context_length'),
    bytesPerToken: bytesPerToken(count),
    fileBytes,
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

async function readHead(path: string): Promise<{ readonly head: Buffer; readonly fileBytes: number }> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return { head: buffer.subarray(0, bytesRead), fileBytes: size }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new ModelError('model-not-found', `There is no model file ${path}. Fetch one with: hermes model local`)
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new ModelError('invalid-request', `The model file ${path} cannot be read: ${reason}`, { cause: error })
  }
}

function bytesPerToken(count: (name: string) => number | undefined): number | undefined {
  const layers = count('block_count')
  const heads = count('attention.head_count')
  const keptHeads = count('attention.head_count_kv') ?? heads
  const width = count('embedding_length')
  if (layers === undefined || keptHeads === undefined || heads === undefined || width === undefined) return undefined
  const keys = count('attention.key_length') ?? width / heads
  const kept = count('attention.value_length') ?? width / heads
  return Math.ceil(layers * keptHeads * (keys + kept) * numberBytes)
}

/** Bytes of the plain types, by their number. */
const sizes: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
const textType = 8
const listType = 9

/** The fields, as far as the head reaches; lists are left out. */
function readFields(head: Buffer, path: string): ReadonlyMap<string, unknown> {
  if (head.length < 24 || head.toString('latin1', 0, 4) !== 'GGUF') {
    throw new ModelError('invalid-request', `${path} is no GGUF file: a model for this machine ends in .gguf.`)
  }
  const version = head.readUInt32LE(4)
  if (version < 2 || version > 3) {
    throw new ModelError('invalid-request', `${path} is GGUF version ${version}, which cannot be read; 2 and 3 can.`)
  }
  const fields = new Map<string, unknown>()
  const total = Number(head.readBigUInt64LE(16))
  const reader = createReader(head, 24)
  for (let read = 0; read < total; read++) {
    const name = reader.text()
    const type = reader.number(4)
    const value = type === undefined ? undefined : reader.value(type)
    if (name === undefined || value === undefined) break
    if (value !== listed) fields.set(name, value)
  }
  return fields
}

/** Stands for a list, which is passed over. */
const listed = Symbol('list')

function createReader(bytes: Buffer, from: number) {
  let at = from
  /** Where the next part begins, which is then passed; undefined when the bytes end before it does. */
  const pass = (length: number): number | undefined => {
    if (!(length <= bytes.length - at)) return undefined
    at += length
    return at - length
  }
  const number = (size: number): number | undefined => {
    const start = pass(size)
    if (start === undefined) return undefined
    return size === 8 ? Number(bytes.readBigUInt64LE(start)) : bytes.readUIntLE(start, size)
  }
  const text = (): string | undefined => {
    const length = number(8)
    const start = length === undefined ? undefined : pass(length)
    return start === undefined || length === undefined ? undefined : bytes.toString('utf8', start, start + length)
  }
  const list = (): typeof listed | undefined => {
    const type = number(4)
    const length = number(8)
    if (type === undefined || length === undefined) return undefined
    const size = sizes[type]
    if (size !== undefined) return pass(size * length) === undefined ? undefined : listed
    if (type !== textType) return undefined
    for (let read = 0; read < length; read++) if (text() === undefined) return undefined
    return listed
  }
  return {
    number,
    text,
    value: (type: number): unknown => {
      if (type === textType) return text()
      if (type === listType) return list()
      const size = sizes[type]
      return size === undefined ? undefined : number(size)
    },
  }
}
