/** What tells one state of a file from another: if all are the same, it was not written in between. */
export interface FileVersion {
  readonly modifiedNs: bigint
  /** When anything about it was changed last; no program sets it, as it may the time of modification. */
  readonly changedNs: bigint
  readonly size: bigint
  readonly inode: bigint
}

/** A file by the name that was asked for, absolute, and by where that led. */
export interface NamedFile {
  readonly asked: string
  readonly path: string
}

/** A file as this session last read or wrote it. */
export interface SeenFile {
  readonly version: FileVersion
  /** Of its whole content; undefined where it was too large to tell. */
  readonly digest: string | undefined
}

/**
 * What a session has read of which file. Lets a tool answer an unchanged re-read briefly, notice a model that goes
 * round in circles, and refuse to write over what others changed. Bounded; files are known by their real path.
 */
export interface FileReads {
  /** Counts a call that only looks. Returns how many times in a row this very call was made, this one included. */
  countLook(call: string): number
  /** Some other tool ran, so looking again is no circle. */
  otherToolRan(): void
  /** Whether this part of the file is in the model's context already, the file being as it was then. */
  isKnown(path: string, part: string, version: FileVersion): boolean
  /** The model was given this part of the file. */
  remember(file: NamedFile, part: string, seen: SeenFile): void
  /** The file as this session last read or wrote it; undefined where it never did. */
  lastSeen(path: string): SeenFile | undefined
  /** Where a name led when a file was last read or written by it. */
  lastPath(asked: string): string | undefined
  /** This session wrote the file; without `seen`, removed it. Looking again is then no circle either. */
  wrote(file: NamedFile, seen: SeenFile | undefined): void
  /** What was read may have left the model's context (compaction): parts are given in full again. */
  forgetParts(): void
}

interface KnownFile {
  readonly seen: SeenFile
  readonly parts: Set<string>
}

/** An empty record. `maxFiles`: the files read longest ago are forgotten beyond it. */
export function createFileReads({ maxFiles = 500, maxPartsPerFile = 50 } = {}): FileReads {
  const files = new Map<string, KnownFile>()
  const paths = new Map<string, string>()
  let lastLook: string | undefined
  let looksInARow = 0

  /** Puts a file at the young end of the map. */
  function touch({ asked, path }: NamedFile, file: KnownFile): void {
    setYoungest(files, path, file, maxFiles)
    setYoungest(paths, asked, path, maxFiles)
  }

  function otherToolRan(): void {
    lastLook = undefined
    looksInARow = 0
  }

  return {
    otherToolRan,
    countLook(call) {
      looksInARow = call === lastLook ? looksInARow + 1 : 1
      lastLook = call
      return looksInARow
    },
    isKnown(path, part, version) {
      const file = files.get(path)
      return file !== undefined && isSameVersion(file.seen.version, version) && file.parts.has(part)
    },
    remember(name, part, seen) {
      const known = files.get(name.path)
      const isSame = known !== undefined && isSameVersion(known.seen.version, seen.version)
      const parts = isSame && known.parts.size < maxPartsPerFile ? known.parts : new Set<string>()
      touch(name, { seen, parts: parts.add(part) })
    },
    lastSeen: (path) => files.get(path)?.seen,
    lastPath: (asked) => paths.get(asked),
    wrote(name, seen) {
      otherToolRan()
      if (seen) return touch(name, { seen, parts: new Set() })
      files.delete(name.path)
      paths.delete(name.asked)
    },
    forgetParts() {
      for (const file of files.values()) file.parts.clear()
      otherToolRan()
    },
  }
}

/** Sets a value and forgets the one set longest ago where there are too many. */
function setYoungest<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next()
  if (map.size > most && !oldest.done) map.delete(oldest.value)
}

/** The version that a `stat` with `bigint: true` shows. */
export function versionOf(stats: {
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly size: bigint
  readonly ino: bigint
}): FileVersion {
  return { modifiedNs: stats.mtimeNs, changedNs: stats.ctimeNs, size: stats.size, inode: stats.ino }
}

export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  return a.modifiedNs === b.modifiedNs && a.changedNs === b.changedNs && a.size === b.size && a.inode === b.inode
}
