import type { Platform } from './platform.ts'

/** How long the browser may take to read what it downloads, ms. */
const readMs = 60_000

export const platform: Platform = {
  openPath: async () => undefined,
  async save(data, name) {
    // A copy, since the DOM takes no view of shared memory.
    const url = URL.createObjectURL(new Blob([data.slice()]))
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), readMs)
    return name
  },
}
