import { z } from 'zod'
import type { Protocol } from './protocol.ts'

/** The part of JSON Schema that our schemas come out as. */
export interface SchemaNode {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
  readonly additionalProperties?: SchemaNode | boolean
}

/** What a client may send and what it gets, as one document of JSON Schema 2020-12. */
export function jsonSchema(protocol: Protocol): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: protocol.title,
    anyOf: [{ $ref: '#/$defs/fromClient' }, { $ref: '#/$defs/fromServer' }],
    $defs: { fromClient: messageSchema(protocol.fromClient), fromServer: messageSchema(protocol.fromServer) },
  }
}

/** One direction: what may be sent, so that fields with a default are not required. */
export function messageSchema(schema: z.ZodType): SchemaNode {
  const { $schema: _, ...node } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' })
  return node as SchemaNode
}
