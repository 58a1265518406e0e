export type AwsSection = ReadonlyMap<string, string>

/** The sections of one of the shared files, by their names; a section that comes twice is one. */
export function sections(text: string): ReadonlyMap<string, AwsSection> {
  const found = new Map<string, Map<string, string>>()
  let current: Map<string, string> | undefined
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(.+?)\s*\]/.exec(line)?.[1]
    if (section !== undefined) {
      const name = section.replaceAll(/\s+/g, ' ')
      current = found.get(name) ?? new Map<string, string>()
      found.set(name, current)
    }
    // Lines that begin with blanks belong to the setting above them.
    const [, key, value] = /^([a-z][a-z0-9_]*)\s*=\s*(.*?)(?:\s+[#;].*)?\s*$/i.exec(line) ?? []
    if (key !== undefined && value !== undefined) current?.set(key.toLowerCase(), value)
  }
  return found
}

/** A profile's section of `~/.aws/config`, where all but `default` are named `profile …`. */
export function profileSection(config: ReadonlyMap<string, AwsSection>, name: string): AwsSection | undefined {
  return config.get(`profile ${name}`) ?? config.get(name)
}
