/** What would become of something that the agent wants to do, for people who tune their settings. */
export interface Verdict {
  readonly decision: 'allowed' | 'asks' | 'denied'
  /** Why, in one sentence. */
  readonly reason: string
}
