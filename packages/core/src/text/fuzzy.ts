/**
 * How well a path fits what a person has typed of it: higher is better, undefined when its letters are not there in
 * order. A match in the name goes before one in the folders, a whole one before scattered letters.
 */
export function fuzzyScore(path: string, typed: string): number | undefined {
  if (typed === '') return 0
  const text = path.toLowerCase()
  const wanted = typed.toLowerCase()
  const name = text.slice(text.lastIndexOf('/', text.length - 2) + 1)
  // Of two that fit alike the one with the shorter name is meant, then the shorter path.
  const brevity = 0.5 / (1 + name.length) + 0.1 / (1 + path.length)
  if (text === wanted || text.startsWith(wanted)) return 5 + brevity
  if (name.startsWith(wanted)) return 4 + brevity
  if (name.includes(wanted)) return 3 + brevity
  if (text.includes(wanted)) return 2 + brevity
  return isSubsequence(text, wanted) ? 1 + brevity : undefined
}

function isSubsequence(text: string, letters: string): boolean {
  let at = -1
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1)
    if (at < 0) return false
  }
  return true
}
