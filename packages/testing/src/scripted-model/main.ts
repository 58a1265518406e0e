// The scripted model server as a program, for tests and benches of other processes:
//   node --conditions=development packages/testing/src/scripted-model/main.ts --script answers.json [--port N]
// Prints its base URL on one line and runs until its standard input ends or it is told to stop.
// `GET /scripted/requests` lists what it was asked.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parseScript } from './script-file.ts'
import { startScriptedModel } from './server.ts'

const { values } = parseArgs({
  options: { script: { type: 'string' }, port: { type: 'string', default: '0' } },
})
if (values.script === undefined) {
  process.stderr.write('usage: main.ts --script FILE [--port N]\n')
  process.exitCode = 2
} else {
  const { answers, options } = parseScript(await readFile(values.script, 'utf8'))
  const server = await startScriptedModel(answers, { ...options, port: Number(values.port) })
  process.stdout.write(`${server.url}\n`)
  const stop = (): void => void server.close().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  process.stdin.once('end', stop).resume()
}
