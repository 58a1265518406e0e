/** A file to send, read part by part, more than once where it must be sent again. */
export interface FileSource {
  /** Bytes. */
  readonly size: number
  readonly filename?: string
  readonly mime?: string
  read(from: number, to: number): Promise<Uint8Array>
}

/** What differs between Node and a browser. */
export interface Platform {
  /** The file of a path; undefined where there is none, and always in a browser. */
  openPath(path: string): Promise<FileSource | undefined>
  /** Keeps a file: in a folder, or as a download of the browser. Resolves to where. */
  save(data: Uint8Array, name: string, directory: string): Promise<string>
}
