import { setTimeout as wait } from 'node:timers/promises'
import { createContext } from '@hermes/core/agent/create-context.ts'
import { startGateway } from '../../gateway.ts'
import { pheby } from './index.ts'

// A gateway of its own process for restart.test.ts, until it is killed.

const [home = ''] = process.argv.slice(2)
await using agent = await createContext({ environment: { ...process.env, HERMES_HOME: home }, cwd: home })
const setup = pheby.read(agent.config, agent.environment)
if (setup.state !== 'ready') throw new Error(`not set up: ${JSON.stringify(setup)}`)
await using gateway = await startGateway({ agent, platforms: [{ platform: pheby, settings: setup.settings }] })
while (gateway.platforms()[0]?.state !== 'connected') await wait(5)
process.stdout.write('ready\n')
while (gateway.platforms().length > 0) await wait(60_000)
