const fencePattern = /^ {0,3}(`{3,}|~{3,})/

/**
 * Markdown as models write it, in Discord's: headings below the third level have no form there and become bold, fences of
 * tildes become such of backticks, pictures become links. https://support.discord.com/hc/en-us/articles/210298617
 */
export function toDiscordMarkdown(markdown: string): string {
  let open: string | undefined
  return markdown
    .split('\n')
    .map((line) => {
      const marks = fencePattern.exec(line)?.[1]
      if (open !== undefined) {
        const isClosing = marks?.startsWith(open) && line.trim() === marks
        if (!isClosing) return line
        const shown = open.startsWith('~') ? line.replace(marks ?? '', '```') : line
        open = undefined
        return shown
      }
      if (marks !== undefined) {
        open = marks
        return marks.startsWith('~') ? line.replace(marks, '```') : line
      }
      const heading = /^ {0,3}#{4,6}\s+(.+?)\s*#*$/.exec(line)?.[1]
      if (heading !== undefined) return `**${heading.replaceAll('**', '')}**`
      return line.replaceAll(/!\[([^\]\n]*)\]\((https?:[^\s)]+)\)/g, (_all, label: string, url: string) =>
        label === '' ? url : `[${label}](${url})`,
      )
    })
    .join('\n')
}

/** Length of a text as it is sent. Discord counts characters, which are never more than UTF-16 units. */
export function lengthOnDiscord(markdown: string): number {
  return toDiscordMarkdown(markdown).length
}
