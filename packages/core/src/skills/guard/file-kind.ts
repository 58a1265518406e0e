/** What a file is: `harmless`: an image, font, sound or document that is only shown. */
export type FileKind = 'text' | 'harmless' | 'archive' | 'program' | 'unknown'

const programEndings =
  /\.(?:exe|dll|so(?:\.\d+)*|dylib|bin|dmg|pkg|deb|rpm|msi|jar|war|class|pyc|pyo|wasm|apk|ipa|scr|com|lnk|node|elf|appimage|sys|ko|o|a|lib|hta|cpl|jnlp)$/i

const archiveEndings = /\.(?:zip|tar|tgz|gz|bz2|xz|zst|7z|rar|cab|iso|whl|egg|crx|xpi|nupkg|br|lz4)$/i

const programMarks: readonly (readonly number[])[] = [
  [0x7f, 0x45, 0x4c, 0x46],
  [0x4d, 0x5a, 0x90],
  [0xfe, 0xed, 0xfa, 0xce],
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x00, 0x61, 0x73, 0x6d],
]

const archiveMarks: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x1f, 0x8b],
  [0x42, 0x5a, 0x68],
  [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  [0x37, 0x7a, 0xbc, 0xaf],
  [0x52, 0x61, 0x72, 0x21],
  [0x28, 0xb5, 0x2f, 0xfd],
]

const harmlessMarks: readonly (readonly number[])[] = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
  [0x42, 0x4d],
  [0x00, 0x00, 0x01, 0x00],
  [0x77, 0x4f, 0x46, 0x46],
  [0x77, 0x4f, 0x46, 0x32],
  [0x00, 0x01, 0x00, 0x00],
  [0x4f, 0x54, 0x54, 0x4f],
  [0x4f, 0x67, 0x67, 0x53],
  [0x49, 0x44, 0x33],
  [0x25, 0x50, 0x44, 0x46],
]

/** Office documents are archives, but their kind is known. */
const officeEndings = /\.(?:docx|xlsx|pptx|odt|ods|odp|epub)$/i

/** Says what a file is, by its first bytes and its name. */
export function fileKind(path: string, bytes: Uint8Array): FileKind {
  const begins = (marks: readonly (readonly number[])[]) =>
    marks.some((mark) => mark.every((byte, at) => bytes[at] === byte))
  if (begins(programMarks)) return 'program'
  if (isText(bytes)) return 'text'
  if (programEndings.test(path)) return 'program'
  if (begins(archiveMarks)) return officeEndings.test(path) ? 'harmless' : 'archive'
  if (archiveEndings.test(path)) return 'archive'
  const isRiff = begins([[0x52, 0x49, 0x46, 0x46]])
  const isMedia = isRiff || (bytes[4] === 0x66 && bytes[5] === 0x74 && bytes[6] === 0x79 && bytes[7] === 0x70)
  return isMedia || begins(harmlessMarks) ? 'harmless' : 'unknown'
}

/** UTF-8 without NUL. Files of another encoding count as binary, since their text cannot be searched. */
export function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}
