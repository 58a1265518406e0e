import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { sessionStoreContract } from './store.contract.ts'
import { openTestStore, temporaryHome } from './test-home.ts'

sessionStoreContract('sqlite', async (t, clock) => openTestStore(t, await temporaryHome(t), clock))

test('with a rehearsal the log of the database is begun, which waits for the disk', async (t) => {
  const home = await temporaryHome(t)
  const first = await openTestStore(t, home)
  await first.close()
  const store = await openTestStore(t, home)
  const logBytes = () => statSync(home.path('state.db-wal'), { throwIfNoEntry: false })?.size ?? 0
  assert.equal(logBytes(), 0)
  await store.rehearse()
  assert.ok(logBytes() > 0)
})
