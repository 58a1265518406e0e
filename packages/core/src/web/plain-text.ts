const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** A snippet of HTML as text on one line. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return named[String(name).toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff) ? String.fromCodePoint(code) : ''
    })
    .replaceAll(/\s+/g, ' ')
    .trim()
}
