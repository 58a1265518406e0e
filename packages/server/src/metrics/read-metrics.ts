/** Samples by name and labels, as they are written, for tests. Throws where the text breaks the format's rules. */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  if (!text.endsWith('\n')) throw new Error('no line end at the end')
  for (const line of text.split('\n').slice(0, -1)) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
    if (kind === 'TYPE') {
      if (types.has(name)) throw new Error(`twice: ${line}`)
      types.set(name, rest)
    }
    if (kind !== undefined) continue
    const found = /^([a-zA-Z_:][\w:]*)((?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})?) (\S+)$/.exec(line)
    const [, sampleName = '', labels = '', value = ''] = found ?? []
    const family = types.has(sampleName) ? sampleName : sampleName.replace(/_(bucket|sum|count)$/, '')
    if (!found || !types.has(family) || samples.has(sampleName + labels)) throw new Error(`no sample: ${line}`)
    samples.set(sampleName + labels, value === '+Inf' ? Infinity : Number(value))
  }
  return samples
}
