import type { Platform } from './platform.ts'

// Node's modules are loaded when they are used, so that a bundle for another place can leave them out.
export const platform: Platform = {
  async openPath(path) {
    const { open, stat } = await import('node:fs/promises')
    const paths = await import('node:path')
    const full = await expand(path)
    const size = await stat(full).then(
      (found) => (found.isFile() ? found.size : undefined),
      // No path, then: base64 or a name that is wrong.
      () => undefined,
    )
    if (size === undefined) return undefined
    return {
      size,
      filename: paths.basename(full),
      async read(from, to) {
        await using file = await open(full, 'r')
        const { bytesRead, buffer } = await file.read({ buffer: new Uint8Array(to - from), position: from })
        if (bytesRead !== to - from) throw new Error(`${full} became shorter while it was sent.`)
        return buffer
      },
    }
  },
  async save(data, name, directory) {
    const { mkdir, writeFile } = await import('node:fs/promises')
    const paths = await import('node:path')
    const folder = await expand(directory)
    await mkdir(folder, { recursive: true })
    const path = paths.join(folder, name)
    await writeFile(path, data)
    return path
  },
}

async function expand(path: string): Promise<string> {
  if (path !== '~' && !path.startsWith('~/')) return path
  const { homedir } = await import('node:os')
  return homedir() + path.slice(1)
}
