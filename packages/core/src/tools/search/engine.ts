/** What is looked for in the contents of files. */
export interface ContentQuery {
  /** Real path of the folder searched, or of the folder of the one file searched. */
  readonly root: string
  /** The one file searched, by name; absent for all below `root`. */
  readonly file?: string
  readonly pattern: string
  readonly fileGlob?: string
  /** Lines of context before and after a match. */
  readonly context: number
  readonly mode: 'content' | 'files_only' | 'count'
  /** No more matches than this are wanted of one file. */
  readonly maxPerFile: number
}

/** Something found; `file` is relative to the root, with `/` between its parts. */
export type Hit =
  | {
      readonly type: 'line'
      readonly file: string
      readonly line: number
      readonly text: string
      readonly isMatch: boolean
    }
  | { readonly type: 'file'; readonly file: string }
  | { readonly type: 'count'; readonly file: string; readonly count: number }

/** What an engine may use. */
export interface EngineContext {
  /** Where programs are looked for. */
  readonly path: string | undefined
  /** Folders, by real path, that are not entered. */
  readonly isClosed: (path: string) => boolean
  readonly signal: AbortSignal
}

/** Looks through the contents of files; its hits come ordered by file and line. */
export type SearchEngine = (query: ContentQuery, context: EngineContext) => AsyncGenerator<Hit, void>

/** A search cannot be made as it was asked for. `message` tells the model how to correct it. */
export class SearchError extends Error {
  override readonly name = 'SearchError'
}
