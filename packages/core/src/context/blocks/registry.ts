import type { PromptBlock } from './block.ts'
import { environmentBlock } from './environment.ts'
import { faceBlock } from './face.ts'
import { guidanceBlock } from './guidance.ts'
import { identityBlock } from './identity.ts'
import { longTermMemoryBlock } from './long-term-memory.ts'
import { memoryBlock, userBlock } from './memory.ts'
import { projectBlock } from './project.ts'
import { sessionBlock } from './session.ts'
import { skillsBlock } from './skills.ts'
import { toolUseBlock } from './tool-use.ts'

/**
 * The parts of the system prompt in their order: what changes least comes first, so that sessions of one profile share
 * as much of a provider's cache as they can.
 */
export const promptBlocks: readonly PromptBlock[] = [
  identityBlock,
  guidanceBlock,
  toolUseBlock,
  faceBlock,
  skillsBlock,
  projectBlock,
  memoryBlock,
  userBlock,
  longTermMemoryBlock,
  environmentBlock,
  sessionBlock,
]
