import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { inputSchema } from './input-schema.ts'
import { tools } from './registry.ts'

/** What zod says, without the keys that models need not see. */
function byZod(schema: z.ZodType): unknown {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), (key, value: unknown) => {
    const isNoise =
      ['$schema', 'additionalProperties'].includes(key) || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
    return isNoise ? undefined : value
  })
  return JSON.parse(text)
}

test('every kind of schema becomes what zod makes of it', () => {
  const described = z.string().describe('inner')
  const schemas: Record<string, z.ZodType> = {
    plain: z.object({ a: z.string(), b: z.number(), c: z.boolean(), d: z.int(), e: z.enum(['x', 'y']) }),
    optional: z.object({ a: described.optional(), b: described.default('x').describe('outer'), c: z.array(described) }),
    limits: z.object({
      a: z.int().min(1).max(10),
      b: z.number().gt(3),
      c: z.string().min(2),
      d: z.array(z.string()).max(3),
    }),
    bounds: z.object({ a: z.string().min(1).max(9), b: z.array(z.int()).min(1).max(5), c: z.number().min(0).lt(1) }),
    nested: z.object({ a: z.array(z.object({ b: z.string().optional() })).optional() }),
    piped: z.object({ a: z.preprocess((value) => value, z.enum(['x'])), b: z.string().transform(Number) }),
    others: z.object({
      a: z.union([z.string(), z.number()]),
      b: z.record(z.string(), z.string()),
      c: z.literal('x'),
      d: z.url(),
    }),
    strict: z.strictObject({ properties: z.string(), required: z.boolean() }),
    open: z.looseObject({ a: z.string() }),
    empty: z.object({}),
  }
  for (const [name, schema] of Object.entries(schemas)) assert.deepEqual(inputSchema(schema), byZod(schema), name)
})

test('a name is never taken for a keyword', () => {
  const named = z.object({ $schema: z.string(), additionalProperties: z.union([z.string(), z.int()]) })
  assert.deepEqual(Object.keys(inputSchema(named)['properties'] as object), ['$schema', 'additionalProperties'])
})

test('the schemas of all tools are what zod makes of them', async () => {
  for (const [name, load] of Object.entries(tools)) {
    const { input } = await load()
    assert.deepEqual(inputSchema(input), byZod(input), name)
  }
})
