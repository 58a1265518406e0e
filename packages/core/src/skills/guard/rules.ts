import type { GuardRule } from './rule.ts'
import { credentialExposure } from './rules/credential-exposure.ts'
import { destructive } from './rules/destructive.ts'
import { execution } from './rules/execution.ts'
import { exfiltration } from './rules/exfiltration.ts'
import { injection } from './rules/injection.ts'
import { mining } from './rules/mining.ts'
import { network } from './rules/network.ts'
import { obfuscation } from './rules/obfuscation.ts'
import { persistence } from './rules/persistence.ts'
import { privilegeEscalation } from './rules/privilege-escalation.ts'
import { supplyChain } from './rules/supply-chain.ts'
import { traversal } from './rules/traversal.ts'

/** Everything that the guard looks for in text. */
export const guardRules: readonly GuardRule[] = [
  ...exfiltration,
  ...injection,
  ...destructive,
  ...persistence,
  ...network,
  ...obfuscation,
  ...execution,
  ...traversal,
  ...mining,
  ...supplyChain,
  ...privilegeEscalation,
  ...credentialExposure,
]
