import type { RemoteFile } from '@hermes/core/models/local/fetch/remote-file.ts'
import type { Cli } from '../../../command.ts'
import { byteCount } from './byte-count.ts'

/** Longest time between two steps on a terminal, ms. */
const stepMs = 200

/** Shows how far a file is: one line that changes on a terminal, else a line every tenth. */
export function fetchProgress({ source, bytes: total }: Pick<RemoteFile, 'source' | 'bytes'>, { stderr }: Cli) {
  const isTerminal = stderr.isTTY === true
  let shownAt = 0
  let shownTenth = -1
  let isLineOpen = false
  return {
    update: (bytes: number): void => {
      const line = `${source.fileName}: ${Math.floor((bytes / total) * 100)} %, ${byteCount(bytes)} of ${byteCount(total)}`
      if (isTerminal) {
        const now = performance.now()
        if (bytes < total && now - shownAt < stepMs) return
        shownAt = now
        isLineOpen = true
        stderr.write(`\r\u001b[K${line}`)
        return
      }
      const tenth = Math.floor((bytes / total) * 10)
      if (tenth === shownTenth) return
      shownTenth = tenth
      stderr.write(`${line}\n`)
    },
    end: (): void => {
      if (isLineOpen) stderr.write('\n')
      isLineOpen = false
    },
  }
}
