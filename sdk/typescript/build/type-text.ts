import type { SchemaNode } from '@hermes/protocol/reference/json-schema.ts'

/** A schema as the text of a TypeScript type, with its descriptions as comments. */
export function typeText(node: SchemaNode, indent = ''): string {
  if ('const' in node) return JSON.stringify(node.const)
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(' | ')
  const options = node.anyOf ?? node.oneOf
  if (options) return [...new Set(options.map((option) => typeText(option, indent)))].join(' | ')
  switch (node.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return node.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `readonly (${node.items ? typeText(node.items, indent) : 'unknown'})[]`
    case 'object':
      return objectText(node, indent)
    default:
      return 'unknown'
  }
}

function objectText({ properties, required = [], additionalProperties }: SchemaNode, indent: string): string {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeText(additionalProperties, indent) : 'unknown'
    return `{ readonly [name: string]: ${value} }`
  }
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, field]) => {
    const comment = field.description ? `${inner}/** ${field.description.replaceAll('*/', '* /')} */\n` : ''
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name)
    return `${comment}${inner}readonly ${key}${required.includes(name) ? '' : '?'}: ${typeText(field, inner)}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}
