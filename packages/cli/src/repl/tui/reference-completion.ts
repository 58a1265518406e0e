import type { AutocompleteItem, AutocompleteSuggestions } from '@earendil-works/pi-tui/dist/autocomplete.js'
import { referenceKinds } from '@hermes/core/context/references/reference.ts'
import { fuzzyScore } from '@hermes/core/text/fuzzy.ts'
import { cleanLine } from '../clean-text.ts'
import type { Chat } from '../slash/slash-command.ts'

/** Completes the @-reference that a text ends with; null where it ends with none, or nothing fits. */
export type ReferenceCompletion = (before: string, signal: AbortSignal) => Promise<AutocompleteSuggestions | null>

const shown = 20
const mostFiles = 20_000
const listTimeoutMs = 1_500

/** How long a list of the project's files is used, ms. */
const freshMs = 10_000

/** What is typed of a reference: its kind and the path so far, with or without an opening quote. */
const typedReference = /(?<![\w/])@(?:(file|folder):"([^"\n]*)|(file|folder|git):([^\s"]*)|([\p{L}\p{N}_./-]*))$/u

/** Whether a text ends with what may become a reference. */
export function endsWithReference(before: string): boolean {
  return typedReference.test(before)
}

/** Kinds of references and files of the project, as the person types. */
export function createReferenceCompletion(chat: () => Chat | undefined): ReferenceCompletion {
  let listed: { readonly at: number; readonly files: readonly string[] } | undefined

  async function files(signal: AbortSignal): Promise<readonly string[]> {
    const current = chat()
    if (!current) return []
    if (listed && performance.now() - listed.at < freshMs) return listed.files
    const { listFiles } = await import('@hermes/core/context/references/list-files.ts')
    const { home, environment } = current.agent
    const folder = current.agent.scopes.get(current.session.id).workspace()
    const options = { home, environment, signal, limit: mostFiles, timeoutMs: listTimeoutMs }
    const { files: found } = await listFiles(folder, options)
    listed = { at: performance.now(), files: found }
    return found
  }

  return async (before, signal) => {
    const match = typedReference.exec(before)
    if (!match) return null
    const [prefix, quotedKind, quoted, kind = quotedKind, rest = quoted, bare] = match
    try {
      const items = await itemsFor(kind, rest ?? bare ?? '', () => files(signal))
      return items.length > 0 && !signal.aborted ? { items, prefix } : null
    } catch (error) {
      if (signal.aborted) return null
      throw error
    }
  }
}

async function itemsFor(
  kind: string | undefined,
  typed: string,
  files: () => Promise<readonly string[]>,
): Promise<AutocompleteItem[]> {
  if (kind === 'git') return ['1', '3', '10'].filter((n) => n.startsWith(typed)).map((n) => item(`@git:${n}`))
  if (kind === 'file') return best(await files(), typed).map((path) => pathItem('file', path))
  if (kind === 'folder') return best(foldersOf(await files()), typed).map((path) => pathItem('folder', path))
  const kinds = referenceKinds
    .filter(({ form }) => form.startsWith(`@${typed}`))
    .map(({ form, about }) => item(form, about))
  return [...kinds, ...best(await files(), typed).map((path) => pathItem('file', path))]
}

function best(paths: readonly string[], typed: string): readonly string[] {
  return paths
    .flatMap((path) => {
      const score = fuzzyScore(path, typed)
      return score === undefined ? [] : [{ path, score }]
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, shown)
    .map(({ path }) => path)
}

function foldersOf(files: readonly string[]): readonly string[] {
  const folders = new Set<string>()
  for (const file of files) {
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = `${file.slice(0, end)}/`
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return [...folders].sort()
}

/** A name with spaces, or with what would be taken for the end of a sentence, stands in quotes. */
function pathItem(kind: 'file' | 'folder', path: string): AutocompleteItem {
  const clean = cleanLine(path)
  const isPlain = /^[^\s"'`:,;!?()[\]{}]+$/.test(clean)
  return { ...item(isPlain ? `@${kind}:${clean}` : `@${kind}:"${clean.replaceAll('"', '')}"`), label: clean }
}

/** What ends with a colon goes on; everything else is whole. */
function item(form: string, description?: string): AutocompleteItem {
  return { value: form.endsWith(':') ? form : `${form} `, label: form, ...(description && { description }) }
}
