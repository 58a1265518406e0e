import type { PromptBlock } from './block.ts'

export const faceBlock: PromptBlock = {
  name: 'face',
  about: 'how to write for the terminal or platform',
  build: ({ request }) => request.face.promptHint,
}
