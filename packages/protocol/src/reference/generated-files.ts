import { mobileProtocol } from '../mobile/reference.ts'
import { phebyProtocol } from '../pheby/reference.ts'
import { jsonSchema } from './json-schema.ts'
import type { Protocol } from './protocol.ts'
import { referencePage } from './reference-page.ts'

/** Every protocol that has a reference. */
export const protocols: readonly Protocol[] = [mobileProtocol, phebyProtocol]

/** The reference as files: name under `docs/protocols/` and content. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    protocols.flatMap((protocol) => [
      [`${protocol.name}.md`, referencePage(protocol)],
      [`${protocol.name}.schema.json`, `${JSON.stringify(jsonSchema(protocol), undefined, 2)}\n`],
    ]),
  )
}
