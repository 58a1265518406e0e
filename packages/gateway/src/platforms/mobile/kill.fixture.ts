import { setTimeout as wait } from 'node:timers/promises'
import { createContext } from '@hermes/core/agent/create-context.ts'
import { startGateway } from '../../gateway.ts'
import { configuredPlatforms } from '../../life/configured-platforms.ts'

// A gateway for phones in a process of its own for kill.test.ts, until it is killed.

const [home = ''] = process.argv.slice(2)
await using agent = await createContext({ environment: { ...process.env, HERMES_HOME: home }, cwd: home })
const { ready } = await configuredPlatforms(agent)
await using gateway = await startGateway({ agent, platforms: ready })
while (gateway.platforms()[0]?.state !== 'connected') await wait(5)
process.stdout.write('ready\n')
while (gateway.platforms().length > 0) await wait(60_000)
