import { discord } from './discord.ts'
import { matrix } from './matrix.ts'
import { mobile } from './mobile.ts'
import { apiServer, email, webhook } from './others.ts'
import { pheby } from './pheby.ts'
import type { PlatformFacts } from './platform-facts.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'

/** What the wizard can set up, in the order in which it is shown. A platform is a line here. */
export const platformFacts: readonly PlatformFacts[] = [
  telegram,
  discord,
  slack,
  matrix,
  email,
  mobile,
  pheby,
  webhook,
  apiServer,
]
