import { open } from 'node:fs/promises'
import type { FileFacts } from './file-facts.ts'
import type { FoundFile } from './find-files.ts'
import { parseFrontmatter } from './frontmatter.ts'
import { skillMetadata } from './metadata.ts'
import { maxDescriptionChars } from './skill-limits.ts'

/** The fields stand at the beginning of a file. */
const headBytes = 64 * 1024

/** Reads what lists need of a SKILL.md or DESCRIPTION.md. One that cannot be read is a skill without description. */
export async function readFacts(file: FoundFile): Promise<FileFacts> {
  const name = file.folders.at(-1) ?? ''
  const { fields, body } = await parseFrontmatter(await head(file.path))
  const { description, name: title, platforms, conditions, tags } = skillMetadata(fields, name)
  const shown = oneLine(description || firstParagraph(body))
    .slice(0, maxDescriptionChars)
    .toWellFormed()
  if (file.kind === 'category') return { kind: 'category', description: shown }
  return { kind: 'skill', title, description: shown, platforms, conditions, tags }
}

async function head(path: string): Promise<string> {
  try {
    await using file = await open(path)
    const buffer = Buffer.alloc(headBytes)
    const { bytesRead } = await file.read(buffer, 0, headBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return ''
    throw error
  }
}

function firstParagraph(body: string): string {
  const lines = body.split(/\r?\n/).map((line) => line.trim())
  return lines.find((line) => line !== '' && !line.startsWith('#')) ?? ''
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
