import { sessionStoreContract } from './store.contract.ts'
import { openTestStore, temporaryHome } from './test-home.ts'

sessionStoreContract('sqlite', async (t, clock) => openTestStore(t, await temporaryHome(t), clock))
