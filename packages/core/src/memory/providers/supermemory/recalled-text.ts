import type { FoundMemory, Profile } from './service.ts'

/** What is told of a profile and of what was found: nothing twice, at most so many of each. */
export function recalledText(profile: Profile, maxResults: number, now: number): string {
  const told = new Set<string>()
  const fresh = <Item>(items: readonly Item[], textOf: (item: Item) => string): readonly Item[] => {
    const chosen = items.filter((item) => {
      const text = textOf(item).trim()
      if (text === '' || told.has(text)) return false
      told.add(text)
      return true
    })
    return chosen.slice(0, maxResults)
  }
  const sections = profileSections({
    lasting: fresh(profile.lasting, (fact) => fact),
    recent: fresh(profile.recent, (fact) => fact),
  })
  const found = fresh(profile.found, ({ text }) => text).map((memory) => foundLine(memory, now))
  return [...sections, ...(found.length === 0 ? [] : [`## Relevant memories\n${found.join('\n')}`])].join('\n\n')
}

/** The profile in parts with headings. */
export function profileSections({ lasting, recent }: Pick<Profile, 'lasting' | 'recent'>): readonly string[] {
  const section = (title: string, facts: readonly string[]) =>
    facts.length === 0 ? [] : [`## ${title}\n${facts.map((fact) => `- ${fact}`).join('\n')}`]
  return [...section('User profile', lasting), ...section('Recent context', recent)]
}

function foundLine({ text, similarity, updatedAt }: FoundMemory, now: number): string {
  const age = ageOf(updatedAt, now)
  const marks = [
    ...(age === '' ? [] : [`[${age}]`]),
    ...(similarity === undefined ? [] : [`[${Math.round(similarity * 100)}%]`]),
  ]
  return ['-', ...marks, text].join(' ')
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** `5m ago`, `3h ago`, `2d ago`, else the day. */
function ageOf(time: string, now: number): string {
  const at = Date.parse(time)
  if (Number.isNaN(at)) return ''
  const ageMs = now - at
  if (ageMs < minuteMs) return 'just now'
  if (ageMs < hourMs) return `${Math.floor(ageMs / minuteMs)}m ago`
  if (ageMs < dayMs) return `${Math.floor(ageMs / hourMs)}h ago`
  if (ageMs < 7 * dayMs) return `${Math.floor(ageMs / dayMs)}d ago`
  return new Date(at).toISOString().slice(0, 10)
}
