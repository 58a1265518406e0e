import { z } from 'zod'
import type { MemoryProviderStart, MemoryProviderTool } from '../../memory-provider.ts'
import { readLocalFile } from '../local-file.ts'
import { defineProviderTool } from '../provider-tool.ts'
import { fileText } from './file-content.ts'
import type { RetainDb, RetainDbFile } from './service.ts'
import type { RetainDbSettings } from './settings.ts'

/** Characters of a stored file that the model gets. */
const maxChars = 32_000

const textEndings = ['.txt', '.md', '.json', '.csv', '.yaml', '.yml', '.xml', '.html']

const fileId = z.object({ file_id: z.string().trim().min(1).describe('Id of the file, from an upload or a list') })

export interface FileToolSources {
  readonly service: RetainDb
  readonly settings: RetainDbSettings
  readonly start: Pick<MemoryProviderStart, 'home' | 'environment' | 'workspace'>
}

/** The tools for the files that agents share. */
export function fileTools({ service: { files }, settings, start }: FileToolSources): readonly MemoryProviderTool[] {
  return [
    defineProviderTool({
      name: 'retaindb_upload_file',
      description:
        'Upload a file to the shared store of RetainDB; the rdb:// address that it gets is good for every agent.',
      concurrency: 'exclusive',
      input: z.object({
        local_path: z.string().min(1).describe('File on this machine'),
        remote_path: z.string().optional().describe('Where to put it, e.g. /reports/q1.pdf'),
        scope: z.enum(['USER', 'PROJECT', 'ORG']).default('PROJECT').describe('Who may see it'),
        ingest: z.boolean().default(false).describe('Also take memories from it'),
      }),
      async run({ local_path: path, remote_path: target, scope, ingest }, signal) {
        const { name, content } = await readLocalFile(path, start)
        const form = new FormData()
        form.append('file', content, name)
        form.append('path', target?.trim() || `/${name}`)
        form.append('scope', scope)
        const file = await files.upload(form, signal)
        if (ingest) await files.ingest(file.id, signal)
        return { success: true, file, ...(ingest && { ingested: true }) }
      },
    }),
    defineProviderTool({
      name: 'retaindb_list_files',
      description: 'List the files in the shared store of RetainDB.',
      concurrency: 'parallel',
      input: z.object({
        prefix: z.string().optional().describe('Only paths that begin so, e.g. /reports/'),
        limit: z.number().default(50).describe('Most files'),
      }),
      async run({ prefix, limit }, signal) {
        const found = await files.list(
          prefix?.trim() || undefined,
          Math.min(200, Math.max(1, Math.trunc(limit) || 50)),
          signal,
        )
        return { files: found, count: found.length }
      },
    }),
    defineProviderTool({
      name: 'retaindb_read_file',
      description: 'Read a text file of the shared store of RetainDB.',
      concurrency: 'parallel',
      input: fileId,
      async run({ file_id: id }, signal) {
        const file = await files.get(id, signal)
        const known = { file_id: id, rdb_uri: file.rdb_uri, name: file.name }
        if (!isText(file)) {
          return { ...known, content: null, note: 'No text: retaindb_ingest_file makes memories of what is in it.' }
        }
        const { text, isWhole } = await fileText(settings, id, signal)
        return {
          ...known,
          content: text.slice(0, maxChars).toWellFormed(),
          truncated: !isWhole || text.length > maxChars,
        }
      },
    }),
    defineProviderTool({
      name: 'retaindb_ingest_file',
      description: 'Take memories from a stored file, so that what is in it can be searched.',
      concurrency: 'exclusive',
      input: fileId,
      async run({ file_id: id }, signal) {
        return { success: true, file_id: id, ...(await files.ingest(id, signal)) }
      },
    }),
    defineProviderTool({
      name: 'retaindb_delete_file',
      description: 'Delete a file of the shared store of RetainDB.',
      concurrency: 'exclusive',
      input: fileId,
      async run({ file_id: id }, signal) {
        await files.remove(id, signal)
        return { success: true, file_id: id }
      },
    }),
  ]
}

function isText({ mime_type: type, name = '' }: RetainDbFile): boolean {
  return (
    type?.toLowerCase().startsWith('text/') === true ||
    textEndings.some((ending) => name.toLowerCase().endsWith(ending))
  )
}
