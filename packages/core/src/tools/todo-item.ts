/** One entry of the agent's task list (upstream's `todo` tool). */
export interface TodoItem {
  readonly id: string
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}
