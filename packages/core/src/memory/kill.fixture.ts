// Changes the memory of a home for as long as it lives and prints each change when it is done; the test ends it at any moment.
import { writeSync } from 'node:fs'
import { openMemoryFiles } from './memory-files.ts'

const [, , dir = ''] = process.argv
const home = { dir, path: (...parts: string[]) => [dir, ...parts].join('/') }
const memory = openMemoryFiles(home, { memoryChars: 2_200, userChars: 1_375 })
const entry = (n: number, version: string) => `Note ${n} ${version}: ${'word '.repeat(20)}end ${n}.`

// Not by a stream: what is done must be told before anything else happens.
const tell = (line: string) => writeSync(1, `${line}\n`)

tell('ready')
for (let n = 0; ; n++) {
  const target = n % 3 === 0 ? 'user' : 'memory'
  await memory.add(target, entry(n, 'new'))
  tell(`${target} + ${n} new`)
  await memory.replace(target, `Note ${n} new`, entry(n, 'changed'))
  tell(`${target} + ${n} changed`)
  if (n < 9) continue
  await memory.remove(target, `Note ${n - 9} changed`)
  tell(`${target} - ${n - 9}`)
}
