import { localBackend } from './local.ts'
import { terminalContract } from './terminal.contract.ts'

terminalContract('local', (cwd) => localBackend.open({ cwd, environment: process.env, passthrough: [] }))
