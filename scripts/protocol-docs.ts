// `npm run docs:protocols`: writes docs/protocols/ from the schemas of packages/protocol.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles } from '@hermes/protocol/reference/generated-files.ts'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs', 'protocols')
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries(generatedFiles())) writeFileSync(join(folder, name), content)
