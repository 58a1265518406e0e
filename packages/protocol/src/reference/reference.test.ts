import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { messageSchema, type SchemaNode } from './json-schema.ts'
import { generatedFiles, protocols } from './generated-files.ts'

const sources = join(import.meta.dirname, '..')
const docs = join(import.meta.dirname, '../../../../docs/protocols')

test('the reference under docs/protocols is what the schemas say (npm run docs:protocols writes it)', () => {
  for (const [name, content] of Object.entries(generatedFiles())) {
    assert.equal(readFileSync(join(docs, name), 'utf8'), content, name)
  }
})

for (const protocol of protocols) {
  for (const schema of [protocol.fromClient, protocol.fromServer]) {
    for (const node of messageSchema(schema).oneOf ?? []) {
      const name = String(node.properties?.[protocol.discriminator]?.const)

      test(`${protocol.name}: ${name} is described, each of its fields too, and its examples are valid`, () => {
        assert.ok(node.description, 'a description')
        assert.ok(node.examples?.length, 'an example')
        for (const example of node.examples) assert.deepEqual(schema.safeParse(example).error?.issues ?? [], [])
        assert.deepEqual(undescribed(node, protocol.discriminator), [])
      })
    }
  }
}

test('the page names every message and every code of its protocol', () => {
  for (const protocol of protocols) {
    const page = generatedFiles()[`${protocol.name}.md`] ?? ''
    for (const schema of [protocol.fromClient, protocol.fromServer]) {
      for (const node of messageSchema(schema).oneOf ?? []) {
        assert.ok(page.includes(`### \`${String(node.properties?.[protocol.discriminator]?.const)}\``))
      }
    }
    for (const [code] of protocol.errors) assert.ok(page.includes(`| \`${code}\` |`), code)
  }
})

test('nothing of the package imports Node, and types, constants and codes import no schema library', () => {
  for (const entry of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts') || entry.endsWith('.test.ts')) continue
    const source = readFileSync(join(sources, entry), 'utf8')
    assert.doesNotMatch(source, /from 'node:/, entry)
    if (/(types|constants|error-codes)\.ts$/.test(entry)) assert.doesNotMatch(source, /^import (?!type )/m, entry)
  }
})

/** Paths of fields without a description; literals speak for themselves. */
function undescribed(node: SchemaNode, discriminator: string, prefix = ''): string[] {
  const inner = [node, node.items, ...(node.anyOf ?? [])].filter((one) => one !== undefined)
  return inner.flatMap((one) =>
    Object.entries(one.properties ?? {}).flatMap(([name, field]) => [
      ...(field.description || field.const !== undefined || field.type === 'array' || field.properties
        ? []
        : [`${prefix}${name}`]),
      ...undescribed(field, discriminator, `${prefix}${name}.`),
      ...(field.items ? undescribed(field.items, discriminator, `${prefix}${name}[].`) : []),
    ]),
  )
}
