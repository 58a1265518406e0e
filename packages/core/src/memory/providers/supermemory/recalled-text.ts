import type { FoundMemory, Profile } from './service.ts'

/** What is told of a profile and of what was found: nothing twice, at most so many of each. */
export function recalledText(profile: Profile, maxResults: number): string {
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
  const found = fresh(profile.found, ({ text }) => text).map(foundLine)
  return [...sections, ...(found.length === 0 ? [] : [`## Relevant memories\n${found.join('\n')}`])].join('\n\n')
}

/** The profile in parts with headings. */
export function profileSections({ lasting, recent }: Pick<Profile, 'lasting' | 'recent'>): readonly string[] {
  const section = (title: string, facts: readonly string[]) =>
    facts.length === 0 ? [] : [`## ${title}\n${facts.map((fact) => `- ${fact}`).join('\n')}`]
  return [...section('User profile', lasting), ...section('Recent context', recent)]
}

/** Without how well it fits or how long ago it was: the same memory is the same line all session, and told once. */
function foundLine({ text, updatedAt }: FoundMemory): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(updatedAt)?.[0]
  return `- ${text}${day === undefined ? '' : ` (${day})`}`
}
