import { writeFile } from 'node:fs/promises'

/** A field of a model file's head: a text, a whole number, or a list of texts. */
export type GgufValue = string | number | readonly string[]

/** What the head of a small model says. */
export const smallModel: Readonly<Record<string, GgufValue>> = {
  'general.architecture': 'llama',
  'general.name': 'Small',
  'llama.context_length': 4096,
  'llama.block_count': 2,
  'llama.attention.head_count': 4,
  'llama.attention.head_count_kv': 2,
  'llama.embedding_length': 64,
}

/** The bytes of a model file without weights: enough for whoever reads its head. */
export function ggufBytes(fields: Readonly<Record<string, GgufValue>> = smallModel): Buffer {
  const entries = Object.entries(fields)
  const head = Buffer.alloc(24)
  head.write('GGUF', 'latin1')
  head.writeUInt32LE(3, 4)
  head.writeBigUInt64LE(BigInt(entries.length), 16)
  return Buffer.concat([head, ...entries.flatMap(([name, value]) => [textBytes(name), ...valueBytes(value)])])
}

export async function writeGguf(path: string, fields?: Readonly<Record<string, GgufValue>>): Promise<void> {
  await writeFile(path, ggufBytes(fields))
}

function valueBytes(value: GgufValue): Buffer[] {
  if (typeof value === 'number') return [wholeNumber(4), wholeNumber(value)]
  if (typeof value === 'string') return [wholeNumber(8), textBytes(value)]
  return [wholeNumber(9), wholeNumber(8), longNumber(value.length), ...value.map(textBytes)]
}

function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([longNumber(bytes.length), bytes])
}

function wholeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function longNumber(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
