/** A page's text with its pictures that stand in it as data told by their descriptions. */
export function withoutInlineImages(text: string): string {
  if (!/data:image\//i.test(text)) return text
  return text
    .replaceAll(/!\[([^\]\n]{0,300})\]\(\s{0,9}<?data:image\/[^)\s>]*>?[^)\n]{0,300}\)/gi, (_whole, alt: string) =>
      alt.trim() === '' ? '[image]' : `[image: ${alt.trim()}]`,
    )
    .replaceAll(/data:image\/[\w.+-]{1,40}(?:;[\w=-]{1,40}){0,5},[A-Za-z0-9+/=%_-]*/gi, '[image]')
}
