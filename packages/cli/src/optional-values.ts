/**
 * Rewrites `-c`, `-r` and their long forms so that their value may be missing or of several words, as upstream takes them:
 * `-c my long title --yolo` becomes `--continue=my long title --yolo`, a bare `-c` becomes `--continue=`.
 */
export function joinSessionNames(argv: readonly string[], commandNames: ReadonlySet<string>): string[] {
  const joined: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    const option = optionNames.get(word)
    if (!option) {
      joined.push(word)
      if (word === '--') return [...joined, ...argv.slice(i + 1)]
      continue
    }
    const words: string[] = []
    for (let next = argv[i + 1]; next !== undefined && !ends(next, commandNames); next = argv[i + 1]) {
      words.push(next)
      i++
    }
    joined.push(`--${option}=${words.join(' ')}`)
  }
  return joined
}

const optionNames: ReadonlyMap<string, string> = new Map([
  ['-c', 'continue'],
  ['--continue', 'continue'],
  ['-r', 'resume'],
  ['--resume', 'resume'],
])

function ends(word: string, commandNames: ReadonlySet<string>): boolean {
  return word.startsWith('-') || commandNames.has(word)
}
