import { messageSchema, type SchemaNode } from './json-schema.ts'
import type { Protocol } from './protocol.ts'

/** The page that people read about a protocol, in Markdown. */
export function referencePage(protocol: Protocol): string {
  const parts = [
    `# ${protocol.title}`,
    `Made from the schemas in \`packages/protocol\` by \`npm run docs:protocols\`; the same as JSON Schema: [${protocol.name}.schema.json](${protocol.name}.schema.json).`,
    protocol.introduction.trim(),
    '## Limits',
    table(['limit', 'value'], protocol.limits),
    '## From the client',
    ...messages(protocol, messageSchema(protocol.fromClient)),
    '## From the server',
    ...messages(protocol, messageSchema(protocol.fromServer)),
    '## Error codes',
    table(
      ['code', 'meaning'],
      protocol.errors.map(([code, meaning]) => [`\`${code}\``, meaning] as const),
    ),
  ]
  return `${parts.join('\n\n')}\n`
}

function messages(protocol: Protocol, union: SchemaNode): string[] {
  return (union.oneOf ?? union.anyOf ?? []).flatMap((node) => {
    const name = String(node.properties?.[protocol.discriminator]?.const)
    const rows = fields(node).filter(([path]) => path !== `\`${protocol.discriminator}\``)
    return [
      `### \`${name}\``,
      node.description ?? '',
      ...(rows.length > 0 ? [table(['field', 'type', 'meaning'], rows)] : []),
      ...(node.examples ?? []).map((example) => `\`\`\`json\n${JSON.stringify(example)}\n\`\`\``),
    ]
  })
}

/** A row for each field, those of inner objects under their path: `device.id`, `options[].label`. */
function fields(node: SchemaNode, prefix = ''): [path: string, type: string, meaning: string][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const isRequired = node.required?.includes(name) ?? false
    const inner = field.items?.properties ? field.items : field
    return [
      [`\`${path}\``, `${typeName(field)}${isRequired ? '' : ', optional'}`, field.description ?? ''],
      ...fields(notNull(inner), `${path}${inner === field ? '' : '[]'}.`),
    ] as [string, string, string][]
  })
}

function typeName(node: SchemaNode): string {
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(' or ')
  if (node.anyOf) return node.anyOf.map(typeName).join(' or ')
  if (node.type === 'array') return `list of ${node.items ? typeName(node.items) : 'anything'}`
  return node.type ?? 'anything'
}

function notNull(node: SchemaNode): SchemaNode {
  return node.anyOf?.find((one) => one.type === 'object') ?? node
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
