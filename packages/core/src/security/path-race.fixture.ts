// A process of its own that swaps entries of a folder for links to a secret place and back, as fast as it can.
// Arguments: the folder, and the folder of secrets.
import { linkSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [work = '', vault = ''] = process.argv.slice(2)
const at = (name: string) => join(work, name)

/** Puts a link in an entry's place for a moment. */
function swap(name: string, target: string): void {
  renameSync(at(name), at(`${name}.aside`))
  symlinkSync(target, at(name))
  unlinkSync(at(name))
  renameSync(at(`${name}.aside`), at(name))
}

/** Puts a second name of the secret in a file's place for a moment. */
function swapForHardLink(name: string, target: string): void {
  renameSync(at(name), at(`${name}.aside`))
  linkSync(target, at(name))
  unlinkSync(at(name))
  renameSync(at(`${name}.aside`), at(name))
}

let rounds = 0
const stop = Date.now() + 60_000
while (Date.now() < stop) {
  try {
    swap('file.txt', join(vault, 'file.txt'))
    swap('folder', vault)
    swap('deep', join(vault, '..'))
    swapForHardLink('file.txt', join(vault, 'file.txt'))
  } catch (error) {
    // The tools under test put files in place of ours: one that is there again is as good as ours.
    if (!(error instanceof Error && 'code' in error)) throw error
    for (const name of ['file.txt']) {
      try {
        writeFileSync(at(name), 'HARMLESS\n', { flag: 'wx' })
      } catch (failure) {
        if (!(failure instanceof Error && 'code' in failure)) throw failure
      }
    }
    for (const name of ['folder', 'deep']) restore(name)
  }
  if (++rounds === 50) process.stdout.write('ready\n')
}

function restore(name: string): void {
  try {
    unlinkSync(at(name))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  try {
    renameSync(at(`${name}.aside`), at(name))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
