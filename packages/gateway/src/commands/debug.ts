import { open, readFile } from 'node:fs/promises'
import { arch, release } from 'node:os'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { isSecretName } from '@hermes/core/security/known-secrets.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import type { ChatCommand, CommandCall } from './command.ts'

/** How much of the end of each log is taken, bytes. */
const tailBytes = 128 * 1024

const logs = ['gateway.out.log', 'errors.log', 'agent.log']

export const debug: ChatCommand = {
  name: 'debug',
  summary: 'Write a report of how I do, without secrets, into a file where I run',
  async run(call) {
    return {
      work: {
        lane: 'debug',
        async run() {
          const { home, clock, redactor } = call.agent
          const name = new Date(clock.now()).toISOString().replaceAll(':', '').replace(/\..*$/, '')
          const path = home.path('logs', `debug-${name}.md`)
          await writeFileAtomic(path, redactor.redact(await report(call)), { mode: 0o600 })
          return `🔎 The report is in ${path}, where I run. It was sent nowhere; read it before you pass it on.`
        },
      },
    }
  },
}

async function report({ agent, chats }: CommandCall): Promise<string> {
  const { home, config, clock } = agent
  const platforms = chats.platforms().map(({ platform, state, since, error }) => {
    return `- ${platform}: ${state} since ${new Date(since).toISOString()}${error ? ` (${error})` : ''}`
  })
  const sections = [
    ['Facts', factsOf(agent).join('\n')],
    ['Platforms', platforms.join('\n') || 'none'],
    ['Conversations', `busy: ${chats.lanes.busyKeys().length}`],
    ['Settings', `\`\`\`json\n${JSON.stringify(withoutSecrets(config), null, 2)}\n\`\`\``],
    ...(await Promise.all(logs.map(async (name) => [name, `\`\`\`\n${await tail(home.path('logs', name))}\n\`\`\``]))),
  ]
  const head = `# Report of ${new Date(clock.now()).toISOString()}\n`
  return [head, ...sections.map(([title, text]) => `## ${title}\n\n${text}\n`)].join('\n')
}

function factsOf({ home, config, environment }: AgentContext): readonly string[] {
  const minutes = Math.round(process.uptime() / 60)
  const megabytes = Math.round(process.memoryUsage.rss() / 1024 / 1024)
  const set = Object.keys(environment).filter(
    (name) => environment[name] && /_(?:TOKEN|KEY|SECRET|PASSWORD)$/.test(name),
  )
  return [
    `- system: ${process.platform} ${release()} ${arch()}, Node ${process.version}`,
    `- home: ${home.dir}`,
    `- process ${process.pid}, up ${minutes} min, ${megabytes} MB`,
    `- model: ${config.model.default || 'none'}`,
    `- secrets that are set: ${set.sort().join(', ') || 'none'}`,
  ]
}

/** What stands under the name of a secret is none of a reader's business. */
function withoutSecrets(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return value !== '' && isSecretName(name) ? '(hidden)' : value
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, key)]))
}

/** The last whole lines of a file, or of the one before it where it was just begun. */
async function tail(path: string): Promise<string> {
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    if (size === 0) return await readFile(`${path}.1`, 'utf8').then((text) => text.slice(-tailBytes))
    const from = Math.max(0, size - tailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    const text = buffer.toString('utf8', 0, bytesRead)
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '(no such file)'
    throw error
  }
}
