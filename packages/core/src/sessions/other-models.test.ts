import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { silentLogger } from '../log/logger.ts'
import { noUsage } from '../models/model.ts'
import { OtherModels } from './other-models.ts'

const usage = { ...noUsage, inputTokens: 5, outputTokens: 1 }

test('a file that cannot be used is no reason for a call to fail, and is tried again', async () => {
  await using home = await temporaryHome()
  const path = home.path('hermes.db')
  await writeFile(path, 'this is no database, and never was one'.repeat(200))
  const told: string[] = []
  const log = { ...silentLogger, warn: (_fields: unknown, message?: string) => void told.push(String(message)) }
  const others = new OtherModels(path, log)
  await others.add('s', { usage, model: 'm' })
  assert.deepEqual(await others.all(), [])
  assert.equal(told.length, 2)
  await rm(path)
  await others.add('s', { usage, model: 'm', estimatedCostUsd: 0.5, actualCostUsd: 0.5, costStatus: 'actual' })
  await others.add('s', { usage, model: 'm', costStatus: 'unknown' })
  const [sum, ...rest] = await others.all()
  assert.deepEqual(rest, [])
  assert.deepEqual(
    [sum?.usage.inputTokens, sum?.usd, sum?.reportedUsd, sum?.calls, sum?.unknownCalls, sum?.includedCalls],
    [10, 0.5, 0.5, 2, 1, 0],
  )
  await others.close()
})

test('two who count at once count both', async () => {
  await using home = await temporaryHome()
  const [one, two] = [0, 1].map(() => new OtherModels(home.path('hermes.db'), silentLogger)) as [
    OtherModels,
    OtherModels,
  ]
  await Promise.all([one, two, one, two].map((each) => each.add('s', { usage, model: 'm' })))
  assert.equal((await one.all())[0]?.calls, 4)
  await one.forget('s')
  assert.deepEqual(await two.all(), [])
  await Promise.all([one.close(), two.close()])
})
