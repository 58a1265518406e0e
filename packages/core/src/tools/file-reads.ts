/** What tells one state of a file from another: if all are the same, it was not written in between. */
export interface FileVersion {
  readonly modifiedNs: bigint
  readonly size: bigint
  readonly inode: bigint
}

/**
 * What a session has read of which file. Lets a tool answer an unchanged re-read briefly, notice a model that goes
 * round in circles, and warn before it writes over what others changed. Bounded; files are known by their real path.
 */
export interface FileReads {
  /** Counts a call that only looks. Returns how many times in a row this very call was made, this one included. */
  countLook(call: string): number
  /** Some other tool ran, so looking again is no circle. */
  otherToolRan(): void
  /** Whether this part of the file is in the model's context already, the file being as it was then. */
  isKnown(path: string, part: string, version: FileVersion): boolean
  /** The model was given this part of the file. */
  remember(path: string, part: string, version: FileVersion): void
  /** Whether others changed the file since this session last read or wrote it; false where it never did. */
  isStale(path: string, version: FileVersion | undefined): boolean
  /** This session wrote the file; without `version`, removed it. Looking again is then no circle either. */
  wrote(path: string, version: FileVersion | undefined): void
  /** What was read may have left the model's context (compaction): parts are given in full again. */
  forgetParts(): void
}

interface KnownFile {
  version: FileVersion
  readonly parts: Set<string>
}

/** An empty record. `maxFiles`: the files read longest ago are forgotten beyond it. */
export function createFileReads({ maxFiles = 500, maxPartsPerFile = 50 } = {}): FileReads {
  const files = new Map<string, KnownFile>()
  let lastLook: string | undefined
  let looksInARow = 0

  /** Puts a file at the young end of the map. */
  function touch(path: string, file: KnownFile): void {
    files.delete(path)
    files.set(path, file)
    const oldest = files.keys().next()
    if (files.size > maxFiles && !oldest.done) files.delete(oldest.value)
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
      return file !== undefined && isSameVersion(file.version, version) && file.parts.has(part)
    },
    remember(path, part, version) {
      const known = files.get(path)
      const file = known && isSameVersion(known.version, version) ? known : { version, parts: new Set<string>() }
      if (file.parts.size >= maxPartsPerFile) file.parts.clear()
      file.parts.add(part)
      touch(path, file)
    },
    isStale(path, version) {
      const file = files.get(path)
      return file !== undefined && (version === undefined || !isSameVersion(file.version, version))
    },
    wrote(path, version) {
      otherToolRan()
      if (version) touch(path, { version, parts: new Set() })
      else files.delete(path)
    },
    forgetParts() {
      for (const file of files.values()) file.parts.clear()
      otherToolRan()
    },
  }
}

/** The version that a `stat` with `bigint: true` shows. */
export function versionOf(stats: {
  readonly mtimeNs: bigint
  readonly size: bigint
  readonly ino: bigint
}): FileVersion {
  return { modifiedNs: stats.mtimeNs, size: stats.size, inode: stats.ino }
}

export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  return a.modifiedNs === b.modifiedNs && a.size === b.size && a.inode === b.inode
}
