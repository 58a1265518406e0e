/** A text without blocks of recalled memory that stand in it, so that what a service said is not told to it as news. */
export function withoutRecalled(text: string): string {
  return text.replaceAll(/<((?:supermemory-)?(?:memory-)?context|supermemory-containers)>[\s\S]*?<\/\1>\s*/g, '').trim()
}
